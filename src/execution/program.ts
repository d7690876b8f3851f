import {
  BREAK,
  type DocumentNode,
  type ExecutionResult,
  execute,
  type FragmentDefinitionNode,
  type GraphQLSchema,
  getVariableValues,
  Kind,
  type OperationDefinitionNode,
  valueFromASTUntyped,
  visit,
} from 'graphql'
import { type CompiledQuery, compileQuery, isCompiledQuery } from 'graphql-jit'
import { LRUCache } from 'lru-cache'
import type { Context } from '../schema/context.ts'
import { type Examination, examine, tellingVariables } from './gate.ts'

type Variables = Readonly<Record<string, unknown>>

/** How many examinations of one operation are kept, and the longest text of variables that one is kept for. */
const keptExaminations = 32
const longestKey = 200

/** One operation of a valid document, with all that can be worked out of it before it is run. */
export class Program {
  readonly operation: OperationDefinitionNode
  readonly #schema: GraphQLSchema
  readonly #document: DocumentNode
  readonly #fragments: Readonly<Record<string, FragmentDefinitionNode>>
  readonly #defaults: Variables
  readonly #isCompilable: boolean
  readonly #telling: readonly string[]
  readonly #examinations = new LRUCache<string, Examination>({ max: keptExaminations })
  #hasRun = false
  #compiled: CompiledQuery | undefined

  constructor(schema: GraphQLSchema, document: DocumentNode, operation: OperationDefinitionNode) {
    this.operation = operation
    this.#schema = schema
    this.#document = document
    const fragments = document.definitions.filter((it) => it.kind === Kind.FRAGMENT_DEFINITION)
    this.#fragments = Object.fromEntries(fragments.map((it) => [it.name.value, it]))
    this.#telling = tellingVariables(operation, this.#fragments)
    const defaults = (operation.variableDefinitions ?? []).map(
      ({ variable, defaultValue }) => defaultValue && [variable.name.value, valueFromASTUntyped(defaultValue)],
    )
    // Where fields merge, graphql-jit answers some that `@skip` or `@include` leave out.
    this.#isCompilable = !hasDirectives(document)
    this.#defaults = Object.fromEntries(defaults.filter((it) => it !== undefined))
  }

  /** The variables as their types have them, or what is wrong with them. */
  coerce(sent: Variables, maxErrors: number) {
    return getVariableValues(this.#schema, this.operation.variableDefinitions ?? [], sent, { maxErrors })
  }

  /** What the operation asks for with these variables; worked out anew only where they make a difference. */
  examine(variables: Variables): Examination {
    const key = this.#telling.length === 0 ? '' : JSON.stringify(this.#telling.map((name) => variables[name]))
    const known = this.#examinations.get(key)
    if (known) return known
    const { operation } = this
    const examination = examine({ schema: this.#schema, operation, fragments: this.#fragments, variables })
    if (key.length <= longestKey) this.#examinations.set(key, examination)
    return examination
  }

  /** Runs it: interpreted the first time, compiled from the second on, since compiling costs more than running once. */
  run(variables: Variables, context: Context): Promise<ExecutionResult> | ExecutionResult {
    if (this.#hasRun && this.#isCompilable) this.#compiled ??= this.#compile()
    this.#hasRun = true
    const operationName = this.operation.name?.value
    // graphql-jit takes a variable of a non-null type for missing when it is left to its default.
    if (this.#compiled) return this.#compiled.query({}, context, { ...this.#defaults, ...variables })
    const [schema, document] = [this.#schema, this.#document]
    return execute({ schema, document, operationName, variableValues: variables, contextValue: context, rootValue: {} })
  }

  #compile(): CompiledQuery | undefined {
    const compiled = compileQuery(this.#schema, this.#document, this.operation.name?.value)
    return isCompiledQuery(compiled) ? compiled : undefined
  }
}

function hasDirectives(document: DocumentNode): boolean {
  let found = false
  visit(document, {
    Directive: () => {
      found = true
      return BREAK
    },
  })
  return found
}
