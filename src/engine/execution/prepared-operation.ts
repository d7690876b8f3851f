import {
  type DocumentNode,
  type ExecutionResult,
  execute,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
} from 'graphql'
import type { Plugin } from 'graphql-yoga'
import { LRUCache } from 'lru-cache'
import { withoutTokens } from '../auth/viewers.ts'
import type { ExecutableOperation, VariableValues } from '../compiler/selection.ts'
import { analyze, type OperationAnalysis, significantVariables } from './operation-analysis.ts'
import type { RequestContext } from './request-context.ts'

/** How many analyses are cached for one operation, and the longest key (the significant variables as JSON) of a cached one. */
const cachedAnalyses = 6
const longestCachedKey = 200

/** The maximum length of an operation name in the log. Clients name their own operations. */
const longestName = 100

/** The query that reads the pages of a subscription, and the only field of both with its response key. */
export type SubscriptionQuery = { readonly query: PreparedOperation; readonly key: string; readonly field: FieldNode }

/** One operation of a valid document, with what can be worked out before it runs. */
export class PreparedOperation {
  readonly operation: OperationDefinitionNode
  /** Its name, or without one its kind, for the log. */
  readonly name: string
  readonly document: DocumentNode
  /** Whether it has not been analyzed before. */
  isNew = true
  readonly schema: GraphQLSchema
  readonly fragments: Readonly<Record<string, FragmentDefinitionNode>>
  /** Whether it is one of Rookery's own, whose statements stay prepared. */
  isBuiltIn = false
  /** The query of a subscription, once it has run. */
  subscriptionQuery: SubscriptionQuery | undefined
  readonly #significant: readonly string[]
  readonly #analyses = new LRUCache<string, OperationAnalysis>({ max: cachedAnalyses })

  constructor(schema: GraphQLSchema, document: DocumentNode, operation: OperationDefinitionNode) {
    this.operation = operation
    this.name = withoutTokens(operation.name?.value ?? operation.operation).slice(0, longestName)
    this.schema = schema
    this.document = document
    const fragments = document.definitions.filter((it) => it.kind === Kind.FRAGMENT_DEFINITION)
    this.fragments = Object.fromEntries(fragments.map((it) => [it.name.value, it]))
    this.#significant = significantVariables({ schema, operation, fragments: this.fragments })
  }

  /** The analysis of the operation with these variables, cached by the significant ones. */
  analyze(executable: ExecutableOperation): OperationAnalysis {
    const { variableValues } = executable
    const significant = this.#significant.map((name) =>
      Object.hasOwn(variableValues, name) ? variableValues[name] : undefined,
    )
    const key = significant.length === 0 ? '' : JSON.stringify(significant)
    const cached = this.#analyses.get(key)
    if (cached) return cached
    const analysis = analyze(executable)
    this.isNew = false
    if (key.length <= longestCachedKey) this.#analyses.set(key, analysis)
    return analysis
  }

  /**
   * Runs its resolvers, or only those of some of its root fields. Takes the variables as they were sent, since GraphQL.js coerces them
   * itself.
   */
  execute(
    variableValues: VariableValues,
    contextValue: RequestContext,
    only?: readonly FieldNode[],
  ): Promise<ExecutionResult> | ExecutionResult {
    const [schema, operationName] = [this.schema, this.operation.name?.value]
    const document = only ? this.#withRootFields(only) : this.document
    return execute({ schema, document, operationName, variableValues, contextValue })
  }

  #withRootFields(selections: readonly FieldNode[]): DocumentNode {
    const operation = { ...this.operation, selectionSet: { ...this.operation.selectionSet, selections } }
    return { ...this.document, definitions: [operation, ...Object.values(this.fragments)] }
  }
}

/** The context of an operation, as the plugins of the pipeline see it. */
export type OperationContext = RequestContext<PreparedOperation>

/** A plugin of the pipeline. */
export type PipelinePlugin = Plugin<OperationContext, OperationContext>

/** What a result says about the HTTP response, which GraphQL Yoga reads and removes. */
type HttpExtension = { readonly headers: Readonly<Record<string, string>> }

/** A result with the JSON that a statement returned. `stringify` makes the response of it, so that nothing is parsed on the way. */
export type CompiledResult = ExecutionResult<Record<string, unknown>, { readonly http?: HttpExtension }> & {
  readonly stringify?: (result: ExecutionResult) => string
}
