import { type DataOf, graphql } from './graphql.ts'

const authorFragment = graphql(`
  fragment Author on User {
    uuid username displayName avatar badges { id name } bio followerCount followingCount joinedAt
  }
`)

/** A user in a list. */
export const profileFragment = graphql(
  `
  fragment Profile on User { ...Author viewerIsFollowing }
`,
  [authorFragment],
)

/** A user with the two e-mail fields, which are null for everyone but the viewer. */
export const profileWithEmailFragment = graphql(
  `
  fragment ProfileWithEmail on User { ...Profile email emailVerified }
`,
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

export type AuthorData = DataOf<typeof authorFragment>
export type ProfileData = DataOf<typeof profileFragment>
export type ProfileWithEmailData = DataOf<typeof profileWithEmailFragment>
export type PublicationData = DataOf<typeof publicationFragment>

/** A publication that is known to be a reply. */
export type ReplyData = Extract<PublicationData, { parentUuid: string }>

/** The parent of a reply that was not deleted. */
export type ParentData = NonNullable<ReplyData['parent']>
