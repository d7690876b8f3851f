import { type DataOf, graphql } from '../graphql.ts'

const item = graphql(`fragment Item on Publication {
  uuid
  content
  createdAt
  likeCount
  viewerHasLiked
  replyCount
  locked
  author {
    username
    displayName
  }
}`)

/** A post or a reply, as every view shows it. */
export type Item = DataOf<typeof item>

/** Posts of the viewer and of those whom they follow, each with its first replies. */
export const homeTimeline = graphql(
  `query HomeTimeline($after: String) {
  homeTimeline(first: 10, after: $after) {
    nodes {
      ...Item
      replies(first: 2) {
        nodes {
          ...Item
        }
      }
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}`,
  [item],
)

/** Everybody's posts. */
export const publicTimeline = graphql(
  `query PublicTimeline($after: String) {
  publicTimeline(first: 20, after: $after) {
    nodes {
      ...Item
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}`,
  [item],
)

/** A post or a reply, what it replies to, and its replies with theirs. */
export const thread = graphql(
  `query Thread($uuid: UUID!, $after: String) {
  post(uuid: $uuid) {
    ...Item
    ... on Reply {
      parent {
        ...Item
      }
    }
    replies(first: 20, after: $after) {
      nodes {
        ...Item
        replies(first: 2) {
          nodes {
            ...Item
          }
        }
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
}`,
  [item],
)

/** A user and their posts. */
export const profile = graphql(
  `query Profile($username: String!, $after: String) {
  viewer {
    uuid
  }
  user(by: { username: $username }) {
    uuid
    username
    displayName
    bio
    followerCount
    followingCount
    viewerIsFollowing
    posts(first: 20, after: $after) {
      nodes {
        ...Item
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
}`,
  [item],
)

/** A user, with what the button to follow them shows. */
export type User = NonNullable<DataOf<typeof profile>['user']>

/** Sends a post, or with `parent` a reply. */
export const sendPost = graphql(
  `mutation SendPost($input: SendPostInput!) {
  sendPost(input: $input) {
    publication {
      ...Item
    }
  }
}`,
  [item],
)

/** Likes or unlikes. */
export const setLike = graphql(`mutation SetLike($input: SetLikeInput!) {
  setLike(input: $input) {
    publication {
      likeCount
      viewerHasLiked
    }
  }
}`)

/** Follows or unfollows. */
export const setFollow = graphql(`mutation SetFollow($input: SetFollowInput!) {
  setFollow(input: $input) {
    user {
      followerCount
      viewerIsFollowing
    }
  }
}`)
