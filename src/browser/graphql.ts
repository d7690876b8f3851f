import type { initGraphQLTada, ResultOf, VariablesOf } from 'gql.tada'
import type { introspection } from '../rest/generated/graphql.d.ts'
import { authorization } from './session.ts'

declare const tada: ReturnType<
  typeof initGraphQLTada<{
    introspection: introspection
    scalars: { DateTime: string; UUID: string; URL: string; EmailAddress: string }
    disableMasking: true
  }>
>
type Fragment = NonNullable<Parameters<typeof tada>[1]>[number]
type NodesOf<Documents extends readonly Document<Fragment>[]> = {
  readonly [Index in keyof Documents]: Documents[Index] extends Document<infer Node extends Fragment> ? Node : never
}

/** A GraphQL document. `Node` has the types of its data and variables, which are inferred from `schema.graphql`. */
export type Document<Node> = { readonly source: string; readonly node?: Node }

/** The data of a document, or the part that a fragment selects. */
export type DataOf<Doc> = Doc extends Document<infer Node> ? ResultOf<Node> : never

/** Makes a document from its text and the fragments that it spreads. */
export function graphql<const Source extends string, const Fragments extends readonly Document<Fragment>[] = []>(
  source: Source,
  fragments?: Fragments,
  // @ts-expect-error: `tada` has another overload, for a cache that is not used, and that one takes no such source.
): Document<ReturnType<typeof tada<Source, NodesOf<Fragments>>>> {
  return { source: [source, ...(fragments ?? []).map((fragment) => fragment.source)].join('\n') }
}

type GraphQLError = { readonly message: string; readonly extensions: { readonly code: string } }
type Answer<Data> = { readonly data?: Data | null; readonly errors?: readonly [GraphQLError] }

/** An error that the server answered with. */
export class Refused extends Error {
  readonly code: string

  constructor({ message, extensions }: GraphQLError) {
    super(message)
    this.code = extensions.code
  }
}

/** Runs a document and returns its data. Rejects with `Refused` if the answer has errors. */
export async function run<Node>(
  { source }: Document<Node>,
  variables: VariablesOf<Node>,
  headers: Record<string, string> = authorization(),
): Promise<ResultOf<Node>> {
  const response = await fetch('/graphql', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify({ query: source, variables }),
  })
  const { data, errors }: Answer<ResultOf<Node>> = await response.json()
  if (errors) throw new Refused(errors[0])
  if (!data) throw new Error('No data.')
  return data
}
