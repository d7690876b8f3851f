import type { DataOf } from './graphql.ts'

// All that the pages send but GraphiQL, which servers of trusted documents know from the bundle of this file.

const item = `fragment Item on Publication {
  uuid content createdAt editedAt locked
  likeCount viewerHasLiked replyCount
  viewerHasBookmarked
  ... on Reply { parentUuid }
  mentions { start end user { username } }
  hashtags { start end hashtag { name } }
  author {
    uuid username displayName
    viewerIsMuting
  }
}` as const

/** The owner of the token in use. */
export const viewer = `query Viewer { viewer { uuid username } }` as const

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

/** Posts of the viewer and of those whom they follow, each with its first replies, and a cursor to follow what is new. */
export const homeTimeline = `query HomeTimeline(
  $after: String
  $first: Boolean = true
) {
  changeCursor @include(if: $first)
  homeTimeline(first: 10, after: $after) {
    nodes {
      ...Item
      replies(first: 2) {
        nodes { ...Item }
      }
    }
    pageInfo { hasNextPage endCursor }
  }
}

${item}` as const

/** Posts that are sent to the home timeline after a cursor. */
export const newPosts = `subscription NewPosts($after: String!) {
  changes(of: { home: true, kinds: [PUBLISHED] }, after: $after) {
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

/** What the viewer has bookmarked. */
export const bookmarks = `query Bookmarks($after: String) {
  viewer {
    bookmarks(first: 20, after: $after) {
      nodes { ...Item }
      pageInfo { hasNextPage endCursor }
    }
  }
}

${item}` as const

/** What others did that concerns the viewer. */
export const notifications = `query Notifications($after: String) {
  viewer {
    notifications(first: 20, after: $after) {
      nodes {
        kind count createdAt isUnread reason
        actors { uuid username }
        publication { uuid content }
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

/** How many notifications the viewer has not read, and a cursor to follow what is new. */
export const unread = `query Unread {
  changeCursor
  viewer { unreadNotificationCount }
}` as const

/** What happens after a cursor that the viewer is notified of. */
export const newNotifications = `subscription NewNotifications($after: String!) {
  changes(of: { notifications: true }, after: $after) { kind }
}` as const

/** Posts and replies, and at first users, that a text finds. */
export const search = `query Search(
  $text: String!
  $after: String
  $first: Boolean = true
) {
  searchUsers(text: $text, first: 5) @include(if: $first) {
    uuid username displayName
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

/** The whole conversation of a post or a reply: at first with what it replies to, which may be on a later page. */
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

/** A user and their posts. */
export const profile = `query Profile($username: String!, $after: String) {
  user(by: { username: $username }) {
    uuid username displayName bio
    followerCount followingCount viewerIsFollowing
    viewerIsMuting viewerIsBlocking isBlockingViewer
    posts(first: 20, after: $after) {
      nodes { ...Item }
      pageInfo { hasNextPage endCursor }
    }
  }
}

${item}` as const

/** Sends a post, or with `parent` a reply. */
export const sendPost = `mutation SendPost($input: SendPostInput!) {
  sendPost(input: $input) {
    publication { ...Item ... on Reply { parent { ...Item } } }
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

/** Bookmarks, or takes a bookmark back. */
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

/** Follows or unfollows. */
export const setFollow = `mutation SetFollow($input: SetFollowInput!) {
  setFollow(input: $input) { user { followerCount viewerIsFollowing } }
}` as const

/** A post or a reply, as every view shows it. */
export type Item = DataOf<typeof item>

/** What the viewer is notified of. */
export type Notification = NonNullable<
  NonNullable<DataOf<typeof notifications>['viewer']>['notifications']
>['nodes'][number]

/** A user, with what their profile shows. */
export type User = NonNullable<DataOf<typeof profile>['user']>
