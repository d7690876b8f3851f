import type { DocumentNode } from 'graphql'
import type { Plugin } from 'graphql-yoga'
import { z } from 'zod'
import { Refusal } from '../errors.ts'
import { parseJson } from '../http/json-body.ts'
import type { ServedRequest } from '../http/served-request.ts'
import { graphQLError } from '../operations/mask.ts'
import type { RequestContext } from '../operations/pipeline.ts'

/** An object whatever it has, since its parts are checked later. */
const object = (message: string) =>
  z.custom<Record<string, unknown>>((it) => typeof it === 'object' && it !== null && !Array.isArray(it), message)

const parameters = z
  .object(
    {
      query: z.string('query must be a string.').nullish(),
      documentId: z.string('documentId must be a string.').nullish(),
      variables: object('variables must be a JSON object.').nullish(),
      operationName: z.string('operationName must be a string.').nullish(),
      extensions: object('extensions must be a JSON object.').nullish(),
    },
    'The body must be a JSON object.',
  )
  .catchall(z.null('The parameters are query, documentId, variables, operationName and extensions.'))

/** What a request to `/graphql` brings into the pipeline. */
export type GraphQLContext = RequestContext & {
  readonly caller: ServedRequest
  /** The parameters as JSON or, without a body, as a query string. */
  readonly sent: { readonly body: unknown } | { readonly query: URLSearchParams }
  /** Whether mutations are refused, as for GET. */
  readonly readOnly: boolean
  /** Whether a browser asks for a page. */
  readonly isBrowser: boolean
  /** Whether the operator has stored the document. */
  isTrusted?: boolean
  /** The document, once it is parsed and validated. */
  document?: DocumentNode
}

/** Checks the parameters of a request (GraphQL over HTTP, section 5.1), which Fastify has read, so that each error names what is wrong. */
export function useParameters(): Plugin<object, GraphQLContext> {
  return {
    onRequestParse: ({ serverContext: { sent }, setRequestParser }) =>
      setRequestParser(() => withoutNulls('body' in sent ? check(sent.body) : parametersInUrl(sent.query))),
  }
}

/** The parameters in a JSON body. Undefined if they are not valid. */
export function parametersIn(body: unknown) {
  const { data } = parameters.safeParse(body)
  return data && withoutNulls(data)
}

function withoutNulls({ query, documentId, variables, operationName, extensions }: z.infer<typeof parameters>) {
  return {
    // Yoga takes an empty document for none.
    ...(query != null && { query: query || ' ' }),
    ...(documentId != null && { documentId }),
    ...(variables && { variables }),
    ...(operationName && { operationName }),
    ...(extensions && { extensions }),
  }
}

/** The parameters in a query string. Others are ignored. */
function parametersInUrl(given: URLSearchParams) {
  const object = (name: string) => {
    const text = given.get(name)
    return text ? parseJson(text, `${name} must be a JSON object.`) : undefined
  }
  try {
    return check({
      query: given.get('query') || undefined,
      documentId: given.get('documentId') || undefined,
      variables: object('variables'),
      operationName: given.get('operationName'),
      extensions: object('extensions'),
    })
  } catch (error) {
    throw error instanceof Refusal ? graphQLError(error, 'request') : error
  }
}

function check(given: unknown): z.infer<typeof parameters> {
  const checked = parameters.safeParse(given)
  if (checked.success) return checked.data
  const message = checked.error.issues[0]?.message ?? 'The parameters are wrong.'
  throw graphQLError(new Refusal('BAD_REQUEST', message), 'request')
}
