import type { Plugin } from 'graphql-yoga'
import type { GraphQLContext } from './use-parameters.ts'

/** Notes the code of the first error for the line that the log has about each request. */
export function useLogLine(): Plugin<object, GraphQLContext> {
  return {
    onResultProcess: ({ result, serverContext: { caller } }) => {
      if ('errors' in result) caller.noteCode(result.errors?.[0]?.extensions.code)
    },
  }
}
