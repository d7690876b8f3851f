import { type AnyVariables, Client, fetchExchange, type TypedDocumentNode } from '@urql/core'
import { initGraphQLTada } from 'gql.tada'
import { Complaint, type Connection, refusedToken, unreachable } from './connection.ts'
import type { introspection } from './generated/graphql.d.ts'

/** Parses a document, and infers the types of its variables and result from `schema.graphql`. */
export const graphql = initGraphQLTada<{
  introspection: introspection
  scalars: { DateTime: string; UUID: string; URL: string; EmailAddress: string; LanguageTag: string }
  disableMasking: true
}>()

/** A client of the GraphQL API, without a cache. */
export function connect({ url, token }: Connection): Client {
  return new Client({
    url: `${url}/graphql`,
    exchanges: [fetchExchange],
    preferGetMethod: false,
    fetchSubscriptions: true,
    fetchOptions: { headers: { authorization: `Bearer ${token}` } },
  })
}

/**
 * The result of a query.
 *
 * @throws {Complaint} when it is refused, or the server cannot be reached
 */
export async function ask<Data, Variables extends AnyVariables>(
  client: Client,
  url: string,
  document: TypedDocumentNode<Data, Variables>,
  variables: Variables,
): Promise<Data> {
  const { data, error } = await client.query(document, variables).toPromise()
  if (data && !error) return data
  if (!error?.response) throw unreachable(url)
  const [first] = error.graphQLErrors
  const { code } = first?.extensions ?? {}
  const message = first?.message ?? error.message
  throw code === 'UNAUTHENTICATED' || code === 'INSUFFICIENT_SCOPE'
    ? refusedToken(message)
    : new Complaint(`The server refused the request: ${message}`)
}
