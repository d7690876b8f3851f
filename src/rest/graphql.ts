import type { initGraphQLTada, ResultOf } from 'gql.tada'
import type { introspection } from './generated/graphql.d.ts'

declare const tada: ReturnType<
  typeof initGraphQLTada<{
    introspection: introspection
    /** A `DateTime` is a `Date` where resolvers made it, and text where PostgreSQL did. */
    scalars: { DateTime: Date | string; UUID: string; URL: string; EmailAddress: string }
    disableMasking: true
  }>
>

type Fragment = NonNullable<Parameters<typeof tada>[1]>[number]

/** A GraphQL document. `Node` carries the types of its result and variables, inferred from `schema.graphql`. */
export type TypedDocument<Node> = {
  readonly source: string
  /** Never set: it only carries the type. */
  readonly node?: Node
}

type NodesOf<Fragments extends readonly TypedDocument<Fragment>[]> = {
  readonly [Index in keyof Fragments]: Fragments[Index] extends TypedDocument<infer Node extends Fragment>
    ? Node
    : never
}

/** The result of running a document, or the part that a fragment selects. */
export type DataOf<Document> = Document extends TypedDocument<infer Node> ? ResultOf<Node> : never

/** Makes a typed document, with the fragments that it spreads. */
export function graphql<const Source extends string, const Fragments extends readonly TypedDocument<Fragment>[] = []>(
  source: Source,
  fragments?: Fragments,
  // @ts-expect-error: `tada` has another overload, for a cache that is not used, and that one takes no such source.
): TypedDocument<ReturnType<typeof tada<Source, NodesOf<Fragments>>>> {
  return { source: [source, ...(fragments ?? []).map((fragment) => fragment.source)].join('\n') }
}
