import type { initGraphQLTada, ResultOf } from 'gql.tada'
import type { introspection } from './generated/graphql.d.ts'

declare const tada: ReturnType<
  typeof initGraphQLTada<{
    introspection: introspection
    /** A `DateTime` is a `Date` where resolvers made it, and text where PostgreSQL did. */
    scalars: { DateTime: Date | string; UUID: string; URL: string; EmailAddress: string; LanguageTag: string }
    disableMasking: true
  }>
>

/** Whether objects have the properties of their full views, too. */
export type Extent = { readonly isFull: boolean }

/** The type of a fragment. */
export type Fragment = NonNullable<Parameters<typeof tada>[1]>[number]

/** A GraphQL document. `Node` carries the types of its result and variables, inferred from `schema.graphql`. */
export type TypedDocument<Node> = {
  readonly source: string
  /** The texts of the operation or fragment, and of all fragments that it spreads. */
  readonly parts: readonly string[]
  /** The same with the fragments of the full views. */
  readonly full: { readonly source: string; readonly parts: readonly string[] }
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

/** Whether the full views that a document selects have more properties. */
export const isExtended = ({ source, full }: TypedDocument<unknown>): boolean => full.source !== source

/** The text of a document that reads views, or full views. */
export const textOf = ({ source, full }: TypedDocument<unknown>, { isFull }: Extent): string =>
  isFull ? full.source : source

/** The text of a definition, and the fragments that it spreads. */
type Definition = { readonly source: string; readonly fragments: readonly TypedDocument<unknown>[] }

/** A document with the fragments that it spreads. That of a full view has another definition. */
export function joined(
  source: string,
  fragments: Definition['fragments'],
  full: Definition = { source, fragments },
): TypedDocument<never> {
  const ofParts = (parts: readonly string[]) => ({ source: parts.join('\n'), parts })
  return {
    ...ofParts([...new Set([source, ...fragments.flatMap(({ parts }) => parts)])]),
    full: ofParts([...new Set([full.source, ...full.fragments.flatMap((fragment) => fragment.full.parts)])]),
  }
}
