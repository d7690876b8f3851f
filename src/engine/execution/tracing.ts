import { context, createContextKey, ROOT_CONTEXT, trace } from '@opentelemetry/api'
import { version } from '../package.ts'
import type { PipelinePlugin } from './prepared-operation.ts'

/** Makes the spans of Rookery, which go nowhere without an SDK of OpenTelemetry. */
export const tracer = trace.getTracer('rookery', version)

const probe = ROOT_CONTEXT.setValue(createContextKey('probe'), true)

/** Whether the operator has loaded an SDK, which brings what keeps the active context. */
export const isTraced = (): boolean => context.with(probe, () => context.active() === probe)

/** Makes a span for each operation that runs. It is the parent of those of its statements. */
export function useTracing(): PipelinePlugin {
  return {
    onExecute: ({ args: { contextValue }, executeFn, setExecuteFn }) => {
      const { operation } = contextValue
      if (!operation) return
      const type = operation.operation.operation
      const attributes = { 'graphql.operation.type': type, 'graphql.operation.name': operation.name }
      setExecuteFn((args) =>
        tracer.startActiveSpan(type, { attributes }, async (span) => {
          try {
            return await executeFn(args)
          } finally {
            span.end()
          }
        }),
      )
    },
  }
}
