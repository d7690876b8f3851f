/** What samples name, by uuid: a post to like and to reply to, a reply, and somebody to follow. */
export type SampleTargets = {
  readonly post?: string | undefined
  readonly reply?: string | undefined
  readonly user?: string | undefined
}

const nobody = '00000000-0000-7000-8000-000000000000'

const homeTimeline = `# Your home timeline: posts of those whom you
# follow, and your own, newest first. Press the
# play button.
#
# Nest what you like: the database is asked once
# for all of it. Ctrl-Space completes, and the
# book at the left has the whole schema. The next
# tabs like a post, send a reply, and follow
# somebody.

query HomeTimeline {
  homeTimeline(first: 10) {
    nodes {
      uuid
      content
      createdAt
      likeCount
      viewerHasLiked
      author {
        uuid
        username
        displayName
        viewerIsFollowing
      }
      replyCount
      # The oldest three.
      replies(first: 3) {
        nodes {
          uuid
          content
          author {
            username
          }
        }
      }
    }
    # The next page: homeTimeline(after: "the endCursor")
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
`

const toggleLike = (post: string) => `# Likes a post or a reply; sent again, takes the
# like back. The home timeline has more uuids.

mutation ToggleLike {
  toggleLike(
    input: { uuid: "${post}" }
  ) {
    action
    publication {
      content
      likeCount
      viewerHasLiked
    }
  }
}
`

const sendReply = (post: string) => `# Replies to a post, or to another reply.

mutation SendReply {
  sendReply(
    input: {
      parent: "${post}"
      content: "Well said!"
    }
  ) {
    reply {
      uuid
      content
      createdAt
      # What it replies to, as it is now.
      parent {
        content
        replyCount
        author {
          username
        }
      }
    }
  }
}
`

const toggleFollow = (user: string) => `# Follows somebody; sent again, unfollows them.
# Their posts come into your home timeline at once.

mutation ToggleFollow {
  toggleFollow(
    input: { uuid: "${user}" }
  ) {
    action
    user {
      username
      bio
      followerCount
      viewerIsFollowing
    }
  }
}
`

/** The operations that GraphiQL opens with, one for each tab: a nested timeline, a like, a reply, a follow. */
export function samples({ post = nobody, user = nobody }: SampleTargets): readonly string[] {
  return [homeTimeline, toggleLike(post), sendReply(post), toggleFollow(user)]
}
