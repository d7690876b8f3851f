import { createYoga, type YogaServerInstance } from 'graphql-yoga'
import type { VariableValues } from '../compiler/selection.ts'
import type { ChangeWatch } from '../data/change-watch.ts'
import type { Log } from '../log.ts'
import type { Documents } from './documents.ts'
import { isMasked, maskError } from './mask.ts'
import type { CompiledResult, OperationContext } from './prepared-operation.ts'
import { isTraced, useTracing } from './tracing.ts'
import { useExecution } from './use-execution.ts'

/** GraphQL Yoga, through which the operations of both APIs pass. */
export type Pipeline = YogaServerInstance<OperationContext, OperationContext>

/**
 * GraphQL Yoga does three things here: it runs the hooks of Envelop's plugins for contexts and execution, in their order, for every query
 * and mutation of both APIs and every page of a subscription; it masks what escapes them; and `processRegularResult` turns a result into
 * the response to a media type. Rookery parses, validates and caches documents itself and serves HTTP with Fastify, so Yoga's other hooks
 * never run.
 */
export function createPipeline(documents: Documents, watch: ChangeWatch, log: Log): Pipeline {
  return createYoga<OperationContext, OperationContext>({
    schema: documents.schema,
    plugins: [useExecution(documents, watch, log), ...(isTraced() ? [useTracing()] : [])],
    // The plugins mask their errors. What is not masked yet is a fault of the pipeline itself.
    maskedErrors: { maskError: (error) => (isMasked(error) ? error : maskError(error, 'operation', 'unknown', log)) },
    logging: false,
    // Documents are parsed, validated and cached before.
    parserAndValidationCache: false,
  })
}

/** Runs the operation of a context, whose document was parsed and validated before, with the variables as they were sent. */
export async function runOperation(
  { getEnveloped }: Pipeline,
  context: OperationContext,
  variableValues: VariableValues,
): Promise<CompiledResult> {
  const { schema, document, operation } = context.operation
  const { contextFactory, execute } = getEnveloped(context)
  const contextValue = await contextFactory()
  return execute({ schema, document, contextValue, variableValues, operationName: operation.name?.value })
}

/** Runs one of Rookery's own operations like any other, and parses its data. */
export async function readOperation(pipeline: Pipeline, context: OperationContext, variableValues: VariableValues) {
  const result = await runOperation(pipeline, context, variableValues)
  const { errors = [], extensions, stringify } = result
  const data: unknown = stringify && errors.length === 0 ? JSON.parse(stringify(result)).data : result.data
  return { data, errors, extensions }
}
