import type { DataOf } from './graphql.ts'

// All that the pages send but GraphiQL, which servers of trusted documents know from the bundle of this file.

const item = `fragment Item on Publication {
  uuid content warning language createdAt editedAt locked audience
  likeCount viewerHasLiked replyCount
  repostCount viewerHasReposted
  viewerHasBookmarked
  quotable quoteCount quotedUuid
  quoted {
    uuid content warning language createdAt
    author { uuid username displayName isPrivate }
  }
  ... on Reply { parentUuid }
  mentions { start end user { username } }
  hashtags { start end hashtag { name } }
  author {
    uuid username displayName isPrivate
    viewerIsMuting
  }
}` as const

/** The owner of the token in use. */
export const viewer = `query Viewer { viewer { uuid username isPrivate isApproved } }` as const

/** What the landing page runs. `landing/statement.sql` has the one statement that it becomes. */
export const latestPost = `query LatestPost {
  viewer {
    posts(first: 1) {
      nodes {
        content
        likeCount
        replies(first: 2) {
          nodes {
            content
            author { displayName }
          }
        }
      }
    }
  }
}` as const

/**
 * Posts and reposts by the viewer and by the accounts that they follow, each with its first replies, and a cursor to follow new ones
 * from.
 */
export const home = `query Home(
  $after: String
  $first: Boolean = true
) {
  changeCursor @include(if: $first)
  home(first: 10, after: $after) {
    nodes {
      repostedBy { username }
      reposterCount
      publication {
        ...Item
        replies(first: 2) {
          nodes { ...Item }
        }
      }
    }
    pageInfo { hasNextPage endCursor }
  }
}

${item}` as const

/** New posts and reposts of the home timeline after a cursor. */
export const newPosts = `subscription NewPosts($after: String!) {
  changes(of: { home: true, kinds: [PUBLISHED, REPOSTED] }, after: $after) {
    kind
    actor { username }
    publication { __typename ...Item }
  }
}

${item}` as const

/** Everybody's posts. */
export const publicTimeline = `query PublicTimeline($after: String) {
  publicTimeline(first: 20, after: $after) {
    nodes { ...Item }
    pageInfo { hasNextPage endCursor }
  }
}

${item}` as const

/** The bookmarks of the viewer. */
export const bookmarks = `query Bookmarks($after: String) {
  viewer {
    bookmarks(first: 20, after: $after) {
      nodes { ...Item }
      pageInfo { hasNextPage endCursor }
    }
  }
}

${item}` as const

/** The notifications of the viewer. */
export const notifications = `query Notifications($after: String) {
  viewer {
    notifications(first: 20, after: $after) {
      nodes {
        kind count createdAt isUnread reason
        actors { uuid username }
        publication { uuid content warning language }
      }
      pageInfo { startCursor hasNextPage endCursor }
    }
  }
}` as const

/** Marks notifications as read. */
export const markRead = `mutation MarkRead($input: MarkNotificationsReadInput!) {
  markNotificationsRead(input: $input) {
    viewer { unreadNotificationCount }
  }
}` as const

/** How many notifications the viewer has not read, and a cursor to follow new ones from. */
export const unread = `query Unread {
  changeCursor
  viewer { unreadNotificationCount }
}` as const

/** New notifications of the viewer after a cursor, and what hides publications from the viewer. */
export const newNotifications = `subscription NewNotifications($after: String!) {
  changes(
    of: {
      notifications: true
      home: true
      kinds: [NOTIFIED, UNFOLLOWED, RESTRICTED, BLOCKED, UNBLOCKED, ACCOUNT_HIDDEN, ACCOUNT_SHOWN]
    }
    after: $after
  ) {
    kind actorUuid uuid
  }
}` as const

/** Which of these posts and replies the viewer can see. */
export const visible = `query Visible($uuids: [UUID!]!) {
  publications(uuids: $uuids) { uuid }
}` as const

/** The accounts that ask to follow the viewer. */
export const followRequests = `query FollowRequests($after: String) {
  viewer {
    followRequests(first: 20, after: $after) {
      nodes { uuid username displayName isPrivate }
      pageInfo { hasNextPage endCursor }
    }
  }
}` as const

/** Accepts or declines a request to follow the viewer. */
export const answerFollowRequest = `mutation AnswerFollowRequest($input: AnswerFollowRequestInput!) {
  answerFollowRequest(input: $input) { user { uuid } }
}` as const

/** Posts and replies that match a text, and on the first page also users. */
export const search = `query Search(
  $text: String!
  $after: String
  $first: Boolean = true
) {
  searchUsers(text: $text, first: 5) @include(if: $first) {
    uuid username displayName isPrivate
  }
  searchPublications(text: $text, first: 20, after: $after) {
    nodes { ...Item }
    pageInfo { hasNextPage endCursor }
  }
}

${item}` as const

/** Posts and replies with a hashtag. */
export const hashtag = `query Hashtag($name: String!, $after: String) {
  hashtag(name: $name) {
    name publicationCount
    publications(first: 20, after: $after) {
      nodes { ...Item }
      pageInfo { hasNextPage endCursor }
    }
  }
}

${item}` as const

/** The whole thread of a post or a reply. The first page also has its ancestors, which may otherwise be on a later page. */
export const thread = `query Thread(
  $uuid: UUID!
  $after: String
  $first: Boolean = true
) {
  post(uuid: $uuid) {
    ...Item
    ancestors @include(if: $first) { ...Item }
    thread(first: 50, after: $after) {
      nodes { ...Item }
      places { uuid parentUuid }
      pageInfo { hasNextPage endCursor }
    }
  }
}

${item}` as const

/** What quotes a post or a reply. */
export const quotes = `query Quotes($uuid: UUID!, $after: String) {
  post(uuid: $uuid) {
    quotes(first: 20, after: $after) {
      nodes { ...Item }
      pageInfo { hasNextPage endCursor }
    }
  }
}

${item}` as const

/** A user, and what they post and repost. */
export const profile = `query Profile($username: String!, $after: String) {
  user(by: { username: $username }) {
    uuid username displayName bio isPrivate
    followerCount followingCount viewerIsFollowing viewerHasRequested
    viewerIsMuting viewerIsBlocking isBlockingViewer
    timeline(first: 20, after: $after) {
      nodes {
        repostedBy { username }
        reposterCount
        publication { ...Item }
      }
      pageInfo { hasNextPage endCursor }
    }
  }
}

${item}` as const

/** Sends a post, or with `parent` a reply; with `quote` it quotes. */
export const sendPost = `mutation SendPost($input: SendPostInput!) {
  sendPost(input: $input) {
    publication {
      ...Item
      quoted { ...Item }
      ... on Reply { parent { ...Item } }
    }
  }
}

${item}` as const

/** Edits a post or a reply. */
export const updatePost = `mutation UpdatePost($input: UpdatePostInput!) {
  updatePost(input: $input) { publication { ...Item } }
}

${item}` as const

/** Deletes a post or a reply. */
export const deletePost = `mutation DeletePost($input: DeletePostInput!) {
  deletePost(input: $input) { publication { uuid } }
}` as const

/** Likes or unlikes. */
export const setLike = `mutation SetLike($input: SetLikeInput!) {
  setLike(input: $input) { publication { likeCount viewerHasLiked } }
}` as const

/** Reposts or unreposts. */
export const setRepost = `mutation SetRepost($input: SetRepostInput!) {
  setRepost(input: $input) { publication { repostCount viewerHasReposted } }
}` as const

/** Detaches a quote from what it quotes. */
export const detachQuote = `mutation DetachQuote($input: DetachQuoteInput!) {
  detachQuote(input: $input) { publication { ...Item } }
}

${item}` as const

/** Adds or removes a bookmark. */
export const setBookmark = `mutation SetBookmark($input: SetBookmarkInput!) {
  setBookmark(input: $input) { publication { viewerHasBookmarked } }
}` as const

/** Mutes or unmutes. */
export const setMute = `mutation SetMute($input: SetMuteInput!) {
  setMute(input: $input) { action }
}` as const

/** Blocks or unblocks. */
export const setBlock = `mutation SetBlock($input: SetBlockInput!) {
  setBlock(input: $input) { action }
}` as const

/** Reports a post, a reply or a user. */
export const report = `mutation Report($input: ReportInput!) {
  report(input: $input) { report { uuid } }
}` as const

/** Follows or unfollows; asks a private account, or withdraws the request. */
export const setFollow = `mutation SetFollow($input: SetFollowInput!) {
  setFollow(input: $input) { user { followerCount viewerIsFollowing viewerHasRequested } }
}` as const

/** Makes the account of the viewer private, or opens it. */
export const setPrivacy = `mutation SetPrivacy($input: UpdateProfileInput!) {
  updateProfile(input: $input) { viewer { isPrivate } }
}` as const

/** A post or a reply, as every view shows it. */
export type Item = DataOf<typeof item>

/** Who reposted an item of a timeline. */
export type Reposters = Omit<DataOf<typeof home>['home']['nodes'][number], 'publication'>

/** A notification of the viewer. */
export type Notification = NonNullable<
  NonNullable<DataOf<typeof notifications>['viewer']>['notifications']
>['nodes'][number]

/** A user, with what their profile shows. */
export type User = NonNullable<DataOf<typeof profile>['user']>
