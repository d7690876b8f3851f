import type { Plugin } from 'graphql-yoga'
import { Refusal } from '../errors.ts'
import type { Documents } from '../operations/documents.ts'
import { graphQLError } from '../operations/mask.ts'
import type { GraphQLContext } from './use-parameters.ts'

/**
 * Parses and validates documents within their limits, from a cache if it can, one new document at a time. Those that are sent without a
 * token are not cached, unless they are trusted.
 */
export function useDocuments(documents: Documents): Plugin<GraphQLContext, GraphQLContext> {
  return {
    onParams: async ({ params: { query = '', operationName }, context }) => {
      const kind = { isTrusted: context.isTrusted === true, isKept: context.isTrusted || context.session !== undefined }
      const loaded = await documents.find(query, kind, context.caller)
      context.loaded = loaded
      if ('errors' in loaded) return
      context.operation = loaded.operation(operationName ?? undefined)
      const { name, operation } = context.operation
      context.caller.noteOperation(name)
      if (context.readOnly && operation.operation === 'mutation') {
        const refusal = new Refusal('METHOD_NOT_ALLOWED', 'Send mutations with POST.', { allow: 'POST' })
        throw graphQLError(refusal, 'operation')
      }
    },
    onParse: ({ context: { loaded }, setParsedDocument }) => {
      if (loaded) setParsedDocument(loaded.document)
    },
    onValidate: ({ context: { loaded }, setResult }) => {
      if (loaded) setResult('errors' in loaded ? [...loaded.errors] : [])
    },
  }
}
