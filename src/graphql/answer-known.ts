import { processRegularResult } from 'graphql-yoga'
import type { HttpResponse } from '../http/response.ts'
import type { Documents } from '../operations/documents.ts'
import { nodeStream } from './event-stream.ts'
import type { MediaType } from './media-type.ts'
import { type GraphQLContext, parametersIn } from './use-parameters.ts'
import type { GraphQLServer } from './yoga.ts'

/**
 * Answers a JSON POST whose operation has run before: the hooks of Envelop run, but not the conversion to the requests of `fetch`, which
 * takes longer than all plugins together, nor the plugins that find the document. Undefined for any other request, which Yoga handles as a whole.
 */
export async function answerKnown(
  yoga: GraphQLServer,
  documents: Documents,
  context: GraphQLContext,
  mediaType: MediaType,
): Promise<HttpResponse | undefined> {
  const parameters = 'body' in context.sent && context.session ? parametersIn(context.sent.body) : undefined
  const { query, operationName, variables, documentId, extensions } = parameters ?? {}
  if (query === undefined || documentId !== undefined || extensions) return undefined
  const loaded = documents.known(query, { isTrusted: false, isKept: true })
  const operation = loaded?.known(operationName)
  if (!loaded || !operation || operation.operation.operation === 'subscription') return undefined

  Object.assign(context, { document: loaded.document, operation })
  context.caller.noteOperation(operation.name, { isKnown: false })
  const { parse, validate, contextFactory, execute, schema } = yoga.getEnveloped(context)
  const document = parse(query)
  validate(schema, document)
  const contextValue = await contextFactory()
  const result = await execute({ schema, document, contextValue, variableValues: variables, operationName })
  if (!result.errors && !result.extensions) {
    const body = result.stringify ? result.stringify(result) : JSON.stringify(result)
    return { status: 200, headers: { 'content-type': `${mediaType}; charset=utf-8` }, body }
  }
  context.caller.noteCode(result.errors?.[0]?.extensions.code)
  return httpResponse(processRegularResult(result, yoga.fetchAPI, mediaType))
}

/** A response of `fetch` as Fastify sends it. */
export async function httpResponse(response: Response): Promise<HttpResponse> {
  const { status, headers, body } = response
  const isStream = body && headers.get('content-type') === 'text/event-stream'
  return {
    status,
    headers: Object.fromEntries(headers),
    body: isStream ? nodeStream(body) : await response.text(),
  }
}
