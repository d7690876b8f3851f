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
    onParams: async ({ params: { query = '', operationName }, context, setResult }) => {
      const kind = { isTrusted: context.isTrusted === true, isKept: context.isTrusted || context.session !== undefined }
      const loaded = await documents.find(query, kind, context.caller)
      if ('errors' in loaded) return setResult(loaded)
      context.document = loaded.document
      context.operation = loaded.operation(operationName ?? undefined)
      const { name, operation } = context.operation
      context.caller.noteOperation(name, { isKnown: kind.isTrusted })
      if (context.readOnly && operation.operation === 'mutation') {
        const refusal = new Refusal('METHOD_NOT_ALLOWED', 'Send mutations with POST.', { headers: { allow: 'POST' } })
        throw graphQLError(refusal, 'operation')
      }
    },
    onParse: ({ context: { document }, setParsedDocument }) => document && setParsedDocument(document),
    onValidate: ({ context: { document }, setResult }) => document && setResult([]),
  }
}
