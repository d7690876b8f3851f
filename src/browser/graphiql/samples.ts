import { authorization, demo } from '../token.ts'

/** An operation that GraphiQL opens with, in a tab of its own. */
type Sample = { readonly query: string; readonly variables?: string }

const sample = (query: string): Sample => ({ query: `${query}\n` })
const withVariables = (variables: object, query: string): Sample => ({
  ...sample(query),
  variables: JSON.stringify(variables, null, 2),
})

const nobody = '00000000-0000-7000-8000-000000000000'
const { post = nobody, user = nobody } = demo.targets ?? {}

const signUp = sample(`# The other samples need a token. To get one,
# change the username, press the play button,
# and paste the token into the menu above. Or
# press "Sign in" there.

mutation SignUp {
  signUp(
    input: {
      username: "robin"
      email: "robin@example.org"
      password: "correct horse battery"
    }
  ) {
    token
    viewer { uuid username }
  }
}`)

const withToken = [
  sample(`# Posts by you and by the people you follow.
#
# Nest up to 20 levels deep: it stays one SQL
# statement. Press Ctrl-Space to complete a
# name, and the book on the left to read the
# schema. The other tabs show how to page, how
# to write, and what errors look like.

query Home {
  homeTimeline(first: 10) {
    nodes {
      uuid
      content
      createdAt
      likeCount
      viewerHasLiked
      author { username displayName }
      replyCount
      # The oldest three.
      replies(first: 3) {
        nodes {
          uuid
          content
          author { username viewerIsFollowing }
        }
      }
    }
  }
}`),
  withVariables(
    { first: 5, after: null },
    `# Everybody's posts, page by page. For the next
# page, put the endCursor of the response into
# "after" in the variables below.

query Pages($first: Int!, $after: String) {
  publicTimeline(first: $first, after: $after) {
    nodes {
      content
      author { username }
    }
    pageInfo { hasNextPage endCursor }
  }
}`,
  ),
  withVariables(
    { uuid: post },
    `# A post with its replies, and their replies.

query Replies($uuid: UUID!) {
  post(uuid: $uuid) {
    content
    author { displayName }
    replies(first: 20) {
      totalCount
      nodes {
        content
        author { displayName }
        replies(first: 5) {
          nodes {
            content
            author { displayName }
          }
        }
      }
    }
  }
}`,
  ),
  sample(`# Likes a post or a reply. Run it again to
# unlike it.

mutation ToggleLike {
  toggleLike(input: {
    uuid: "${post}"
  }) {
    action
    publication { content likeCount viewerHasLiked }
  }
}`),
  sample(`# Replies to a post, or to another reply.

mutation SendReply {
  sendReply(input: {
    parent: "${post}"
    content: "Well said!"
  }) {
    reply {
      uuid
      content
      # What it replies to, as it is now.
      parent { content replyCount }
    }
  }
}`),
  sample(`# Follows an account. Run it again to unfollow.

mutation ToggleFollow {
  toggleFollow(input: {
    uuid: "${user}"
  }) {
    action
    user { username followerCount viewerIsFollowing }
  }
}`),
  sample(`# Changes in your home timeline, as they happen:
# run this, then send a post from another
# window.

subscription Live {
  changes(of: { home: true }) {
    kind
    at
    actor { username }
    publication { content }
  }
}`),
  sample(`# A post cannot be blank. The error has a code
# from a fixed list, its path in the query, and
# the invalid fields.

mutation Failure {
  sendPost(input: { content: " " }) {
    publication { uuid }
  }
}`),
]

/**
 * The operations that GraphiQL opens with, one for each tab. Without a token, the first one is a sign-up. Their names are the
 * titles of the tabs, so they differ from the names of the queries that other pages open here.
 */
export const samples = authorization().Authorization ? withToken : [signUp, ...withToken]
