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

type DataOf<Document> = Document extends TypedDocument<infer Node> ? ResultOf<Node> : never

/** Makes a typed document, with the fragments that it spreads. */
export function graphql<const Source extends string, const Fragments extends readonly TypedDocument<Fragment>[] = []>(
  source: Source,
  fragments?: Fragments,
  // @ts-expect-error: `tada` has another overload, for a cache that is not used, and that one takes no such source.
): TypedDocument<ReturnType<typeof tada<Source, NodesOf<Fragments>>>> {
  const parts = [...new Set([source, ...(fragments ?? []).flatMap((fragment) => fragment.parts)])]
  return { source: parts.join('\n'), parts }
}

const authorFragment = graphql(`
  fragment Author on User {
    uuid username displayName avatar badges { id name } bio followerCount followingCount joinedAt
  }
`)

/** A user in a list. */
export const profileFragment = graphql('fragment Profile on User { ...Author viewerIsFollowing }', [authorFragment])

/** A user with the two e-mail fields, which are null for everyone but the viewer. */
export const profileWithEmailFragment = graphql(
  'fragment ProfileWithEmail on User { ...Profile email emailVerified }',
  [profileFragment],
)

/** A post or a reply. */
export const publicationFragment = graphql(
  `
  fragment Publication on Publication {
    uuid author { ...Author } content from { uuid name website }
    locked replyCount likeCount viewerHasLiked createdAt
    ... on Reply { parentUuid parent { uuid author { ...Author } content createdAt } }
  }
`,
  [authorFragment],
)

/** The versions of what a post object is made of, for its entity tag. */
export const publicationVersions = graphql(`
  fragment PublicationVersions on Publication {
    uuid version createdAt editedAt author { version } from { version }
    ... on Reply { parent { version author { version } } }
  }
`)

/** A reply as the reply endpoints represent it, with the versions of all rows that it is made of. */
export const replyFragment = graphql(
  `
  fragment ReplyRepresentation on Reply {
    uuid parentUuid author { uuid } content from { uuid } locked version createdAt editedAt
    replies(first: 5) { nodes { ...Publication ...PublicationVersions } }
  }
`,
  [publicationFragment, publicationVersions],
)

export type AuthorData = DataOf<typeof authorFragment>
export type ProfileData = DataOf<typeof profileFragment>
export type ProfileWithEmailData = DataOf<typeof profileWithEmailFragment>
export type PublicationData = DataOf<typeof publicationFragment>

/** A publication that is known to be a reply. */
export type ReplyData = Extract<PublicationData, { parentUuid: string }>
