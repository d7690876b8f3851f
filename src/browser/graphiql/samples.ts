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

const signUp = sample(`# Every other operation needs a token, and this
# one gives you yours. Change the name, press
# the play button, and paste the token into the
# menu above; or press "Sign in" there.

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
  sample(`# Posts by you and by those whom you follow.
#
# Nest up to 20 levels deep: it stays one SQL
# statement. Ctrl-Space completes, and the book
# at the left has the whole schema. The other
# tabs page, write, and fail.

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
    `# A post with its replies, and theirs.

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
  sample(`# Likes a post or a reply. Sent again, it
# takes the like back.

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
  sample(`# Follows somebody. Sent again, unfollows them.

mutation ToggleFollow {
  toggleFollow(input: {
    uuid: "${user}"
  }) {
    action
    user { username followerCount viewerIsFollowing }
  }
}`),
  sample(`# Changes of your home timeline, as they happen:
# run this, and send something from another
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
# from a closed list, its place in the query,
# and the invalid fields.

mutation Failure {
  sendPost(input: { content: " " }) {
    publication { uuid }
  }
}`),
]

/**
 * The operations that GraphiQL opens with, one for each tab. Without a token, the first one gets one. Their names, which are the titles of
 * the tabs, differ from those of the queries that other pages open here.
 */
export const samples = authorization().Authorization ? withToken : [signUp, ...withToken]
