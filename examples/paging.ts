/*
 * Pages through everyone's posts as a Relay connection, with `first` and `after`, until `pageInfo` says that there are no more or
 * enough have been read. However long the list is, only one page is in memory at a time.
 *
 * Start the server in one terminal. In another one, run the example with the token that the server prints:
 *
 *   npm ci && npm start
 *   ROOKERY_TOKEN=rookery_… npm run example -- paging
 *   ROOKERY_TOKEN=rookery_… npm run --silent example -- paging --count 120 --size 50
 *
 * For a server at another address than http://127.0.0.1:4000, set ROOKERY_URL.
 */
import { parseArgs } from 'node:util'
import type { ResultOf } from 'gql.tada'
import { Complaint, type Connection, run } from './connection.ts'
import { ask, connect, graphql } from './graphql.ts'
import { beginning, columns, styled } from './text.ts'

const publicTimeline = graphql(`
  query PublicTimeline($first: Int!, $after: String) {
    publicTimeline(first: $first, after: $after) {
      nodes { content author { username } }
      pageInfo { hasNextPage endCursor }
    }
  }
`)

type Page = ResultOf<typeof publicTimeline>['publicTimeline']

/** Reads page after page, with this many posts on each page and in total. */
async function* pages(connection: Connection, size: number, count: number): AsyncGenerator<Page> {
  const client = connect(connection)
  let left = count
  let after: string | null = null
  do {
    const variables: { first: number; after: string | null } = { first: Math.min(size, left), after }
    const { publicTimeline: page }: ResultOf<typeof publicTimeline> = await ask(
      client,
      connection.url,
      publicTimeline,
      variables,
    )
    yield page
    left -= page.nodes.length
    after = page.pageInfo.hasNextPage ? page.pageInfo.endCursor : null
  } while (after !== null && left > 0)
}

/** An integer option of the command line. */
function wholeNumber(name: string, text: string, most: number): number {
  const number = Number(text)
  if (/^\d+$/.test(text) && number >= 1 && number <= most) return number
  throw new Complaint(`--${name} has to be a whole number from 1 to ${most}.`)
}

/** The options of the command line: how many posts to read on each page and in total. */
function options(): { size: number; count: number } {
  try {
    const { values } = parseArgs({
      options: { size: { type: 'string', default: '20' }, count: { type: 'string', default: '200' } },
    })
    return { size: wholeNumber('size', values.size, 100), count: wholeNumber('count', values.count, 1_000_000) }
  } catch (error) {
    throw error instanceof TypeError ? new Complaint(error.message) : error
  }
}

async function paging(connection: Connection): Promise<void> {
  const { size, count } = options()

  let number = 0
  let read = 0
  let isEnd = false
  for await (const { nodes, pageInfo } of pages(connection, size, count)) {
    number += 1
    const [first] = nodes
    const range = `${read + 1}–${read + nodes.length}`
    if (first) {
      const author = `@${first.author.username}`.padEnd(16)
      const place = `page ${String(number).padStart(3)}  ${range.padStart(11)}  `
      const content = beginning(first.content, columns - place.length - author.length - 2)
      process.stdout.write(`${styled('dim', place)}${styled('cyan', author)}  ${content}\n`)
    }
    read += nodes.length
    isEnd = !pageInfo.hasNextPage
  }
  const inPages = `${read} posts in ${number} ${number === 1 ? 'page' : 'pages'}`
  process.stdout.write(`${inPages}${isEnd ? ', and that is all' : '; more follow'}.\n`)
}

await run(paging, 'post.get user.get')
