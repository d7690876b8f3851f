/*
 * Shows your home timeline in the terminal, with replies and their replies, from one typed GraphQL query.
 *
 * Start the server in one terminal. In another one, run the example with the token that the server prints:
 *
 *   npm ci && npm start
 *   ROOKERY_TOKEN=rookery_… npm run example -- timeline
 *
 * For a server at another address than http://127.0.0.1:4000, set ROOKERY_URL.
 */
import type { ResultOf } from 'gql.tada'
import { type Connection, run } from './connection.ts'
import { ask, connect, graphql } from './graphql.ts'
import { ago, columns, plain, styled, wrapped } from './text.ts'

const card = graphql(`
  fragment Card on Publication {
    content
    createdAt
    likeCount
    replyCount
    viewerHasLiked
    author { displayName username }
  }
`)

const homeTimeline = graphql(
  `
    query HomeTimeline($posts: Int!, $replies: Int!) {
      viewer { username }
      homeTimeline(first: $posts) {
        nodes {
          ...Card
          replies(first: $replies) {
            nodes {
              ...Card
              replies(first: $replies) { nodes { ...Card } }
            }
          }
        }
      }
    }
  `,
  [card],
)

/** A post or a reply, with the replies that the query selects. */
type Thread = ResultOf<typeof card> & { readonly replies?: { readonly nodes: readonly Thread[] } }

/** The lines of a thread. Each level of replies is indented by one more bar. */
function linesOf({ author, content, createdAt, likeCount, replyCount, viewerHasLiked, replies }: Thread, level = 0) {
  const bars = styled('dim', '│ '.repeat(level))
  const name = `${styled('bold', plain(author.displayName))} ${styled('cyan', `@${author.username}`)}`
  const likes = `${viewerHasLiked ? styled('red', '♥') : '♡'} ${likeCount}`
  const shown = replies?.nodes ?? []
  const lines: string[] = [
    `${name} ${styled('dim', `· ${ago(createdAt)}`)}`,
    ...wrapped(content, columns - 2 * level),
    `${likes}  ${styled('dim', '↳')} ${replyCount}`,
  ].map((line) => bars + line)
  for (const reply of shown) lines.push(`${bars}${styled('dim', '│')}`, ...linesOf(reply, level + 1))
  const more = replyCount - shown.length
  if (shown.length > 0 && more > 0) lines.push(`${bars}${styled('dim', `│ … and ${more} more`)}`)
  return lines
}

async function timeline({ url, token }: Connection): Promise<void> {
  const { viewer, homeTimeline: posts } = await ask(connect({ url, token }), url, homeTimeline, {
    posts: 5,
    replies: 2,
  })
  const title = styled('bold', `Home timeline of @${viewer?.username}`)
  const threads = posts.nodes.map((post) => linesOf(post).join('\n'))
  process.stdout.write(`${[title, ...threads].join(`\n${styled('dim', '─'.repeat(columns))}\n`)}\n`)
}

await run(timeline, 'post.get reply.get user.get')
