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

/** The type of a fragment. */
export type Fragment = NonNullable<Parameters<typeof tada>[1]>[number]

/** A GraphQL document. `Node` carries the types of its result and variables, inferred from `schema.graphql`. */
export type TypedDocument<Node> = {
  readonly source: string
  /** The texts of the operation or fragment, and of all fragments that it spreads. */
  readonly parts: readonly string[]
  /** Never set: it only carries the type. */
  readonly node?: Node
}

type NodesOf<Fragments extends readonly TypedDocument<Fragment>[]> = {
  readonly [Index in keyof Fragments]: Fragments[Index] extends TypedDocument<infer Node extends Fragment>
    ? Node
    : never
}

/** The type of a document with this text. */
type NodeOf<Source extends string, Fragments extends readonly TypedDocument<Fragment>[]> =
  // @ts-expect-error: `tada` has another overload, for a cache that is not used, and that one takes no such source.
  ReturnType<typeof tada<Source, NodesOf<Fragments>>>

/** The result of a selection on a type, with the fragments that it spreads. */
export type Selected<
  Type extends string,
  Selection extends string,
  Fragments extends readonly TypedDocument<Fragment>[],
> = ResultOf<NodeOf<`fragment Selected on ${Type} { ${Selection} }`, Fragments>>

/** Makes a typed document, with the fragments that it spreads. */
export function graphql<const Source extends string, const Fragments extends readonly TypedDocument<Fragment>[] = []>(
  source: Source,
  fragments?: Fragments,
): TypedDocument<NodeOf<Source, Fragments>> {
  return joined(source, fragments ?? [])
}

/** A document with the fragments that it spreads. */
export function joined(source: string, fragments: readonly TypedDocument<unknown>[]): TypedDocument<never> {
  const parts = [...new Set([source, ...fragments.flatMap((fragment) => fragment.parts)])]
  return { source: parts.join('\n'), parts }
}
