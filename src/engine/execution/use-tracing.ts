import { tracer } from '../tracing.ts'
import type { PipelinePlugin } from './plugin.ts'

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
