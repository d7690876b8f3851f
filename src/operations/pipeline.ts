import type { ExecutionArgs, ExecutionResult } from 'graphql'
import type { Plugin } from 'graphql-yoga'
import type { RepeatableRequest } from '../domain/idempotency.ts'
import type { Context, RequestDetails } from '../schema/context.ts'
import type { PreparedOperation } from './prepared-operation.ts'

/** What a request of either API brings into the pipeline. */
export type RequestContext = RequestDetails & {
  /** The key of a write that must run only once. Throws `BAD_REQUEST` for an invalid key. */
  readonly repeatable: () => RepeatableRequest | undefined
  /** What runs: prepared when Rookery starts for REST, found in the document for GraphQL. */
  operation?: PreparedOperation
}

/** What the plugins of the pipeline see. Resolvers see the `Context` of it. */
export type OperationContext = Context & Omit<RequestContext, 'session'>

/** A plugin of the pipeline. Both APIs run all of them. */
export type PipelinePlugin = Plugin<OperationContext, RequestContext>

/** What a result says about the HTTP response, which GraphQL Yoga reads and removes. */
type HttpExtension = { readonly headers: Readonly<Record<string, string>> }

/** A result with the JSON that a statement returned. `stringify` makes the response of it, so that nothing is parsed on the way. */
export type CompiledResult = ExecutionResult<Record<string, unknown>, { readonly http?: HttpExtension }> & {
  readonly stringify?: (result: ExecutionResult) => string
}

/** The part of GraphQL Yoga's `getEnveloped` with which REST runs its operations: the same plugins, and no HTTP in between. */
export type GetEnveloped = (context: RequestContext) => {
  readonly contextFactory: () => Promise<Context> | Context
  readonly execute: (args: ExecutionArgs) => Promise<CompiledResult> | CompiledResult
}
