import type { DemoTargets } from '../../domain/demo.ts'

const nobody = '00000000-0000-7000-8000-000000000000'

/** An operation that GraphiQL opens with, in a tab of its own. */
type Sample = { readonly query: string; readonly variables?: string }

/** The sample that comes first when there is no token. */
export const signUp: Sample = {
  query: `# Every other operation needs a token, and this
# one gives you yours. Change the name, press
# the play button, and paste the token above;
# or press "Sign up" there.

mutation SignUp {
  signUp(
    input: {
      username: "robin"
      email: "robin@example.org"
      password: "correct horse battery"
    }
  ) {
    token
    viewer {
      uuid
      username
    }
  }
}
`,
}

const homeTimeline = `# Posts by you and by those whom you follow.
#
# Nest as deep as you like: it stays one
# statement. Ctrl-Space completes, and the book
# at the left has the whole schema. The other
# tabs page, write, and fail.

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
  }
}
`

const pages = `# Everybody's posts, page by page. For the next
# page, put the endCursor of the response into
# "after" in the variables below.

query Pages($first: Int!, $after: String) {
  publicTimeline(first: $first, after: $after) {
    nodes {
      content
      author {
        username
      }
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
`

const thread = `# A post with its replies, and theirs.

query Thread($uuid: UUID!) {
  post(uuid: $uuid) {
    content
    author {
      displayName
    }
    replies(first: 20) {
      totalCount
      nodes {
        content
        author {
          displayName
        }
        replies(first: 5) {
          nodes {
            content
            author {
              displayName
            }
          }
        }
      }
    }
  }
}
`

const toggleLike = (post: string) => `# Likes a post or a reply. Sent again, it
# takes the like back.

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

const toggleFollow = (user: string) => `# Follows somebody. Sent again, unfollows them.

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

const failure = `# A post cannot be blank. The error has a code
# from a closed list, where it happened, and
# here the fields that are invalid.

mutation Failure {
  sendPost(input: { content: " " }) {
    publication {
      uuid
    }
  }
}
`

/** The operations that GraphiQL opens with, one for each tab: a nested timeline, pages, a thread, writes, and one that fails. */
export function samples({ post = nobody, user = nobody }: DemoTargets): readonly Sample[] {
  return [
    { query: homeTimeline },
    { query: pages, variables: JSON.stringify({ first: 5, after: null }, null, 2) },
    { query: thread, variables: JSON.stringify({ uuid: post }, null, 2) },
    { query: toggleLike(post) },
    { query: sendReply(post) },
    { query: toggleFollow(user) },
    { query: failure },
  ]
}
