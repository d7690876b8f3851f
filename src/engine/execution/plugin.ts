import type { ExecutionResult } from 'graphql'
import type { Plugin } from 'graphql-yoga'
import type { PreparedOperation } from './prepared-operation.ts'
import type { RequestContext } from './request-context.ts'

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
