import { z } from 'zod'

const publication = z.object({
  __typename: z.string(),
  uuid: z.uuid(),
  content: z.string(),
  warning: z.string().nullable(),
  locked: z.boolean(),
  likeCount: z.number(),
  viewerHasLiked: z.boolean(),
  repostCount: z.number(),
  viewerHasReposted: z.boolean(),
  quotedUuid: z.uuid().nullable(),
  author: z.object({ uuid: z.uuid(), viewerIsMuting: z.boolean() }),
  parentUuid: z.uuid().optional(),
})

/** A publication, as mirrors read it. */
export type Publication = z.infer<typeof publication>

const account = z.object({
  uuid: z.uuid(),
  followerCount: z.number(),
  followingCount: z.number(),
  viewerIsFollowing: z.boolean(),
  followsViewer: z.boolean(),
  viewerIsMuting: z.boolean(),
  displayName: z.string(),
  username: z.string(),
})

/** An account, as mirrors read it. */
export type Account = z.infer<typeof account>

const publications = z.object({ nodes: z.array(publication) })
/** What an account reposted. */
export const reposted = z.object({
  nodes: z.array(z.object({ uuid: z.uuid(), author: z.object({ viewerIsMuting: z.boolean() }) })),
})
const written = z.object({ posts: publications, replies: publications, reposts: reposted })
const accounts = z.object({ nodes: z.array(account) })
/** What the snapshot has of the sources that were asked for. */
export const snapshot = z.object({
  changeCursor: z.string(),
  homeTimeline: publications.optional(),
  publicTimeline: publications.optional(),
  viewer: account
    .extend({ replies: publications, reposts: reposted, following: accounts, followers: accounts })
    .nullish(),
  followed: z
    .object({
      following: z.object({
        nodes: z.array(
          z.object({ uuid: z.uuid(), viewerIsMuting: z.boolean(), replies: publications, reposts: reposted }),
        ),
      }),
    })
    .nullish(),
  publications: z.array(publication.nullable()).optional(),
  users: z.array(account.extend(written.shape).nullable()).optional(),
  a: z.object({ publications }).nullish(),
})
/** Notifications, which are only compared. */
export const notifications = z.object({ viewer: z.unknown() })

const change = z.object({
  cursor: z.string(),
  kind: z.string(),
  uuid: z.uuid(),
  actorUuid: z.uuid(),
  changesNotifications: z.boolean(),
  publication: publication.nullable(),
  actor: account.nullable(),
  user: account.nullable(),
})

/** A change, as mirrors read it. */
export type Change = z.infer<typeof change>
/** A page of changes. */
export const page = z.object({
  changes: z.object({
    nodes: z.array(change),
    pageInfo: z.object({ endCursor: z.string(), hasNextPage: z.boolean() }),
  }),
})

const fragments = `
  fragment P on Publication {
    __typename uuid content warning locked likeCount viewerHasLiked repostCount viewerHasReposted quotedUuid
    author { uuid viewerIsMuting } ... on Reply { parentUuid }
  }
  fragment A on User { uuid followerCount followingCount viewerIsFollowing followsViewer viewerIsMuting displayName username }`
const list = '(first: 100) { nodes { ...P } }'
const reposts = 'reposts(first: 50) { nodes { uuid author { viewerIsMuting } } }'
/** Reads what the sources have now. */
export const snapshotQuery = `query ($home: Boolean!, $public: Boolean!, $named: Boolean!, $uuids: [UUID!]!, $byUsers: Boolean!,
    $users: [UserBy!]!, $tagged: Boolean!) {
  changeCursor
  homeTimeline${list.replace(' {', ' @include(if: $home) {')}
  publicTimeline${list.replace(' {', ' @include(if: $public) {')}
  viewer @include(if: $home) { ...A replies${list} ${reposts} following(first: 50) { nodes { ...A } } followers(first: 50) { nodes { ...A } } }
  followed: viewer @include(if: $home) {
    following(first: 6) { nodes { uuid viewerIsMuting replies(first: 50) { nodes { ...P } } ${reposts} } }
  }
  publications(uuids: $uuids) @include(if: $named) { ...P }
  users(by: $users) @include(if: $byUsers) { ...A posts${list} replies${list} ${reposts} }
  a: hashtag(name: "a") @include(if: $tagged) { publications${list} }
} ${fragments}`
/** Reads the notifications. */
export const notificationsQuery = `{ viewer { unreadNotificationCount notifications(first: 100) {
  nodes { kind count isUnread reason publication { uuid } actors { uuid } } } } }`
/** Reads a page of changes. */
export const changesQuery = `query ($of: ChangeFilter!, $after: String!, $first: Int!) { changes(of: $of, after: $after, first: $first) {
  nodes { cursor kind uuid actorUuid changesNotifications publication { ...P } actor { ...A } user { ...A } }
  pageInfo { endCursor hasNextPage } } } ${fragments}`
