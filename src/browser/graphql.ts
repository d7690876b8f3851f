import type { initGraphQLTada, ResultOf, VariablesOf } from 'gql.tada'
import type { introspection } from '../engine/rest/generated/graphql.d.ts'
import { authorization, prefix } from './token.ts'

declare const graphql: ReturnType<
  typeof initGraphQLTada<{
    introspection: introspection
    scalars: { DateTime: string; UUID: string; URL: string; EmailAddress: string; LanguageTag: string }
    disableMasking: true
  }>
>
type Fragments = NonNullable<Parameters<typeof graphql>[1]>
// @ts-expect-error: `graphql` has another overload, for a cache that is not used, and that one takes no such source.
type Parsed<Source extends string> = ReturnType<typeof graphql<Source, Fragments>>

/** The data of a GraphQL document, by its text. The types are inferred from `schema.graphql`. */
export type DataOf<Source extends string> = ResultOf<Parsed<Source>>

type Wrong = { readonly field: string; readonly message: string }
type GraphQLError = {
  readonly message: string
  readonly extensions: {
    readonly code: string
    readonly errors?: readonly Wrong[]
    readonly contact?: string | null
  }
}
type Answer<Data> = { readonly data?: Data | null; readonly errors?: readonly [GraphQLError] }

/** The position of the last write of the page, which its queries must see. */
let position: string | null = null

/** An error of a response, with its code as the cause, the fields of the input that are wrong, and whom to write to. */
export class Refused extends Error {
  readonly fields: readonly Wrong[]
  readonly contact: string | null
  constructor({ message, extensions: { code, errors = [], contact = null } }: GraphQLError) {
    super(message, { cause: code })
    this.fields = errors
    this.contact = contact
  }
}

/** Sends a GraphQL request. */
export async function post(
  parameters: object,
  given: HeadersInit,
  signal: AbortSignal | null = null,
): Promise<Response> {
  const headers = new Headers(given)
  if (position && !headers.has('Rookery-After')) headers.set('Rookery-After', position)
  const response = await fetch(`${prefix}/graphql`, {
    method: 'POST',
    headers,
    body: JSON.stringify(parameters),
    signal,
  })
  position = response.headers.get('Rookery-Position') ?? position
  return response
}

/** Runs a document and returns its data. Rejects if the answer has errors, with the first. */
export async function run<const Source extends string>(
  query: Source,
  variables: VariablesOf<Parsed<Source>>,
): Promise<DataOf<Source>> {
  const sent = { 'Content-Type': 'application/json', ...authorization() }
  const response = await post({ query, variables }, sent).catch((cause) => {
    throw new Error('The server cannot be reached.', { cause })
  })
  const { data, errors }: Answer<DataOf<Source>> = await response.json()
  if (errors) throw new Refused(errors[0])
  if (!data) throw new Error('The response has no data.')
  return data
}
