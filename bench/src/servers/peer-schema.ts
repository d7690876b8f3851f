/** The part of Rookery's schema that the works need, for servers that are given a schema. */
export const peerSchema = /* GraphQL */ `
  scalar UUID
  scalar DateTime
  type Query {
    homeTimeline(first: Int, after: String): PublicationConnection!
    post(uuid: UUID!): Publication
    user(by: UserBy!): User
  }
  type Mutation {
    toggleLike(input: ToggleLikeInput!): PublicationPayload!
    sendPost(input: SendPostInput!): PublicationPayload!
  }
  input UserBy { uuid: UUID! }
  input ToggleLikeInput { uuid: UUID! }
  input SendPostInput { content: String! }
  type PublicationPayload { publication: Publication! }
  type Publication {
    uuid: UUID!
    content: String!
    createdAt: DateTime!
    replyCount: Int!
    likeCount: Int!
    viewerHasLiked: Boolean!
    author: User!
    replies(first: Int, after: String): PublicationConnection!
  }
  type User {
    uuid: UUID!
    username: String!
    displayName: String!
    bio: String!
    followerCount: Int!
    followingCount: Int!
    joinedAt: DateTime!
    viewerIsFollowing: Boolean!
    posts(first: Int, after: String): PublicationConnection!
  }
  type PublicationConnection { nodes: [Publication!]! edges: [PublicationEdge!]! pageInfo: PageInfo! }
  type PublicationEdge { cursor: String! node: Publication! }
  type PageInfo { hasNextPage: Boolean! endCursor: String }
`

/** Arguments of a list. */
export type PageArgs = { readonly first?: number | null; readonly after?: string | null }

/** How many rows a list of these arguments has, with one more to know whether there is more, and the key it begins after. */
export function pageOf({ first, after }: PageArgs): { readonly limit: number; readonly key: string | null } {
  return { limit: (first ?? 20) + 1, key: after ? Buffer.from(after, 'base64url').toString() : null }
}

/** A connection of a page's rows, of which one may be too many. */
export function connectionOf<Row extends { readonly uuid: string }>(rows: readonly Row[], limit: number) {
  const nodes = rows.slice(0, limit - 1)
  const cursors = nodes.map(({ uuid }) => Buffer.from(uuid).toString('base64url'))
  return {
    nodes,
    edges: nodes.map((node, at) => ({ node, cursor: cursors[at] })),
    pageInfo: { hasNextPage: rows.length >= limit, endCursor: cursors.at(-1) ?? null },
  }
}
