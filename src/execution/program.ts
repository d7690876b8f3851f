import {
  type DocumentNode,
  type ExecutionResult,
  execute,
  type FragmentDefinitionNode,
  type GraphQLSchema,
  getVariableValues,
  Kind,
  type OperationDefinitionNode,
} from 'graphql'
import { LRUCache } from 'lru-cache'
import { bytesOfStatements, requireRoom } from '../reads/reads.ts'
import { type Selected, Selection } from '../reads/selection.ts'
import type { Call } from '../reads/variants.ts'
import type { Context } from '../schema/context.ts'
import { type Examination, examine } from './gate.ts'
import { tellingVariables } from './telling.ts'

type Variables = Readonly<Record<string, unknown>>

/** How many examinations of one operation are kept, and the longest text of variables that one is kept for. */
const keptExaminations = 32
const longestVariables = 200

/** How many bytes a program holds at most beside its tree and its statements: itself, and each of its examinations. */
const bytesOfProgram = 8_000
const bytesOfExamination = 2_000

/** One operation of a valid document, with all that can be worked out of it before it is run. */
export class Program {
  readonly operation: OperationDefinitionNode
  readonly #schema: GraphQLSchema
  readonly #document: DocumentNode
  readonly #fragments: Readonly<Record<string, FragmentDefinitionNode>>
  readonly #telling: readonly string[]
  readonly #examinations = new LRUCache<string, Examination>({ max: keptExaminations })

  constructor(schema: GraphQLSchema, document: DocumentNode, operation: OperationDefinitionNode) {
    this.operation = operation
    this.#schema = schema
    this.#document = document
    const fragments = document.definitions.filter((it) => it.kind === Kind.FRAGMENT_DEFINITION)
    this.#fragments = Object.fromEntries(fragments.map((it) => [it.name.value, it]))
    this.#telling = tellingVariables({ schema, operation, fragments: this.#fragments })
  }

  /** How many bytes it holds beside the syntax tree. */
  get bytes(): number {
    return bytesOfProgram + this.#examinations.size * bytesOfExamination + bytesOfStatements(this.operation)
  }

  /** The variables as their types have them, or what is wrong with them. */
  coerce(sent: Variables, maxErrors: number) {
    return getVariableValues(this.#schema, this.operation.variableDefinitions ?? [], sent, { maxErrors })
  }

  /** What the operation asks for with these variables; worked out again only where they make a difference. */
  examine(variableValues: Variables): Examination {
    const key = this.#telling.length === 0 ? '' : JSON.stringify(this.#telling.map((name) => variableValues[name]))
    const known = this.#examinations.get(key)
    if (known) return known
    const examination = examine(this.#call(variableValues))
    if (key.length <= longestVariables) this.#examinations.set(key, examination)
    return examination
  }

  /** The `data` of a query as a text of JSON, by one statement; undefined where something of it needs a resolver. */
  answer(variableValues: Variables, { reads }: Pick<Context, 'reads'>): Promise<string> | undefined {
    return reads.answer(this.#call(variableValues))
  }

  /** The fields of a query, by response key. */
  roots(variableValues: Variables): readonly (readonly [key: string, Selected])[] {
    const selection = new Selection(this.#call(variableValues))
    const type = this.#schema.getRootType(this.operation.operation)
    return type ? [...selection.fields(type, [this.operation.selectionSet])] : []
  }

  /** Throws `VALIDATION_FAILED` where running it field by field takes too much SQL. */
  requireRoom(variableValues: Variables): void {
    requireRoom(this.#call(variableValues))
  }

  /** Runs it, field by field. */
  execute(variableValues: Variables, contextValue: Context): Promise<ExecutionResult> | ExecutionResult {
    const [schema, document, operationName] = [this.#schema, this.#document, this.operation.name?.value]
    return execute({ schema, document, operationName, variableValues, contextValue, rootValue: {} })
  }

  #call(variableValues: Variables): Call {
    return { schema: this.#schema, operation: this.operation, fragments: this.#fragments, variableValues }
  }
}
