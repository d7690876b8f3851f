/** A GraphQL document and, in its type, the data that it yields (as `TypedDocumentNode` does it). */
export type RestDocument<Data> = {
  readonly source: string
  /** Never there: it only carries the type. */
  readonly data?: Data
}

/** A point in time: `DateTime` as the executor yields it. */
export type Time = Date | string

/** One page of a list. */
export type Page<Node> = { readonly nodes: readonly Node[]; readonly pageInfo: { readonly hasNextPage: boolean } }

/** Fragment `Author`. */
export type AuthorData = {
  readonly uuid: string
  readonly username: string
  readonly displayName: string
  readonly avatar: string
  readonly badges: readonly { readonly id: string; readonly name: string }[]
  readonly bio: string
  readonly followerCount: number
  readonly followingCount: number
  readonly joinedAt: Time
}

/** Fragment `Profile`. */
export type ProfileData = AuthorData & { readonly viewerIsFollowing: boolean }

/** Fragment `Profile` and the two e-mail fields, which are null for everyone but the viewer. */
export type OwnProfileData = ProfileData & { readonly email: string | null; readonly emailVerified: boolean | null }

/** Fragment `Publication`, of a post or a reply. */
export type PublicationData = {
  readonly uuid: string
  readonly author: AuthorData
  readonly content: string
  readonly from: { readonly uuid: string; readonly name: string; readonly website: string | null } | null
  readonly locked: boolean
  readonly replyCount: number
  readonly likeCount: number
  readonly viewerHasLiked: boolean
  readonly createdAt: Time
  /** Of a reply only. */
  readonly parentUuid?: string
  /** Of a reply only; null when the parent was deleted. */
  readonly parent?: ParentData | null
}

/** The parent of a reply. */
export type ParentData = {
  readonly uuid: string
  readonly author: AuthorData
  readonly content: string
  readonly createdAt: Time
}

/** Fragment `Publication` of what is known to be a reply. */
export type ReplyData = PublicationData & { readonly parentUuid: string; readonly parent: ParentData | null }

const authorFragment = /* GraphQL */ `
  fragment Author on User {
    uuid username displayName avatar badges { id name } bio followerCount followingCount joinedAt
  }
`

const profileFragment = /* GraphQL */ `
  fragment Profile on User { ...Author viewerIsFollowing }
  ${authorFragment}
`

const publicationFragment = /* GraphQL */ `
  fragment Publication on Publication {
    uuid author { ...Author } content from { uuid name website }
    locked replyCount likeCount viewerHasLiked createdAt
    ... on Reply { parentUuid parent { uuid author { ...Author } content createdAt } }
  }
  ${authorFragment}
`

export const getPost: RestDocument<{ post: PublicationData | null }> = {
  source: /* GraphQL */ `
    query GetPost($uuid: UUID!) { post(uuid: $uuid) { ...Publication } }
    ${publicationFragment}
  `,
}

export const getPostReplies: RestDocument<{ post: (PublicationData & { replies: Page<ReplyData> }) | null }> = {
  source: /* GraphQL */ `
    query GetPostReplies($uuid: UUID!, $first: Int!, $offset: Int!) {
      post(uuid: $uuid) {
        ...Publication
        replies(first: $first, offset: $offset) { nodes { ...Publication } pageInfo { hasNextPage } }
      }
    }
    ${publicationFragment}
  `,
}

export const sendPost: RestDocument<{ sendPost: { publication: PublicationData } }> = {
  source: /* GraphQL */ `
    mutation SendPost($content: String!, $locked: Boolean, $parent: UUID, $from: UUID) {
      sendPost(input: { content: $content, locked: $locked, parent: $parent, from: $from }) {
        publication { ...Publication }
      }
    }
    ${publicationFragment}
  `,
}

export const updatePost: RestDocument<{ updatePost: { publication: PublicationData } }> = {
  source: /* GraphQL */ `
    mutation UpdatePost($uuid: UUID!, $content: String, $locked: Boolean) {
      updatePost(input: { uuid: $uuid, content: $content, locked: $locked }) { publication { ...Publication } }
    }
    ${publicationFragment}
  `,
}

export const deletePost: RestDocument<{ deletePost: { publication: PublicationData } }> = {
  source: /* GraphQL */ `
    mutation DeletePost($uuid: UUID!) { deletePost(input: { uuid: $uuid }) { publication { ...Publication } } }
    ${publicationFragment}
  `,
}

export const toggleLike: RestDocument<{
  toggleLike: { action: 'LIKED' | 'UNLIKED' }
}> = {
  source: /* GraphQL */ `
    mutation ToggleLike($uuid: UUID!) { toggleLike(input: { uuid: $uuid }) { action } }
  `,
}

export const getViewer: RestDocument<{ viewer: OwnProfileData | null }> = {
  source: /* GraphQL */ `
    query GetViewer { viewer { ...Profile email emailVerified } }
    ${profileFragment}
  `,
}

export const getUser: RestDocument<{ user: OwnProfileData | null }> = {
  source: /* GraphQL */ `
    query GetUser($user: UserBy!) { user(by: $user) { ...Profile email emailVerified } }
    ${profileFragment}
  `,
}

export const findUser: RestDocument<{ user: { uuid: string } | null }> = {
  source: /* GraphQL */ `
    query FindUser($user: UserBy!) { user(by: $user) { uuid } }
  `,
}

export const getUserPosts: RestDocument<{ user: { uuid: string; posts: Page<PublicationData> } | null }> = {
  source: /* GraphQL */ `
    query GetUserPosts($user: UserBy!, $first: Int!, $offset: Int!) {
      user(by: $user) {
        uuid
        posts(first: $first, offset: $offset) { nodes { ...Publication } pageInfo { hasNextPage } }
      }
    }
    ${publicationFragment}
  `,
}

export const getFollowing: RestDocument<{ user: { following: Page<ProfileData> } | null }> = {
  source: /* GraphQL */ `
    query GetFollowing($user: UserBy!, $first: Int!, $offset: Int!) {
      user(by: $user) {
        following(first: $first, offset: $offset) { nodes { ...Profile } pageInfo { hasNextPage } }
      }
    }
    ${profileFragment}
  `,
}

export const getFollowers: RestDocument<{ user: { followers: Page<ProfileData> } | null }> = {
  source: /* GraphQL */ `
    query GetFollowers($user: UserBy!, $first: Int!, $offset: Int!) {
      user(by: $user) {
        followers(first: $first, offset: $offset) { nodes { ...Profile } pageInfo { hasNextPage } }
      }
    }
    ${profileFragment}
  `,
}

export const toggleFollow: RestDocument<{
  toggleFollow: { action: 'FOLLOWED' | 'UNFOLLOWED' }
}> = {
  source: /* GraphQL */ `
    mutation ToggleFollow($uuid: UUID!) { toggleFollow(input: { uuid: $uuid }) { action } }
  `,
}

export const getReply: RestDocument<{
  reply: {
    uuid: string
    parentUuid: string
    author: { uuid: string }
    content: string
    from: { uuid: string } | null
    locked: boolean
    replies: Pick<Page<ReplyData>, 'nodes'>
  } | null
}> = {
  source: /* GraphQL */ `
    query GetReply($uuid: UUID!) {
      reply(uuid: $uuid) {
        uuid parentUuid author { uuid } content from { uuid } locked
        replies(first: 5) { nodes { ...Publication } }
      }
    }
    ${publicationFragment}
  `,
}

export const findReply: RestDocument<{ reply: { uuid: string } | null }> = {
  source: /* GraphQL */ `
    query FindReply($uuid: UUID!) { reply(uuid: $uuid) { uuid } }
  `,
}

export const sendReply: RestDocument<{ sendReply: { reply: ReplyData } }> = {
  source: /* GraphQL */ `
    mutation SendReply($parent: UUID!, $content: String!, $lock: Boolean, $from: UUID) {
      sendReply(input: { parent: $parent, content: $content, locked: $lock, from: $from }) {
        reply { ...Publication }
      }
    }
    ${publicationFragment}
  `,
}

export const updateReply: RestDocument<{ updateReply: { reply: ReplyData } }> = {
  source: /* GraphQL */ `
    mutation UpdateReply($uuid: UUID!, $content: String, $lock: Boolean) {
      updateReply(input: { uuid: $uuid, content: $content, locked: $lock }) { reply { ...Publication } }
    }
    ${publicationFragment}
  `,
}

export const deleteReply: RestDocument<{ deleteReply: { reply: ReplyData } }> = {
  source: /* GraphQL */ `
    mutation DeleteReply($uuid: UUID!) { deleteReply(input: { uuid: $uuid }) { reply { ...Publication } } }
    ${publicationFragment}
  `,
}
