/*
 * A bot that answers every mention of its account once, with a typed GraphQL subscription over Server-Sent Events instead of
 * polling. It stores its position in a file, so it misses nothing while it is not running.
 *
 * Start the server in one terminal. In another one, run the example with the token that the server prints:
 *
 *   npm ci && npm start
 *   ROOKERY_TOKEN=rookery_… npm run example -- bot place.txt
 *
 * For a server at another address than http://127.0.0.1:4000, set ROOKERY_URL.
 */
import { existsSync } from 'node:fs'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { CombinedError } from '@urql/core'
import type { ResultOf } from 'gql.tada'
import { print } from 'graphql'
import { createClient, NetworkError } from 'graphql-sse'
import { Complaint, type Connection, run } from './connection.ts'
import { ask, connect, graphql } from './graphql.ts'

const text = graphql('fragment Text on Publication { uuid author { uuid username } mentions { user { uuid } } }')

const now = graphql('query Now { viewer { uuid username } changeCursor }')

const notified = graphql(
  `
    subscription Notified($after: String!) {
      changes(of: { notifications: true }, after: $after) {
        cursor
        publication { ...Text }
        user { notifications(first: 1) { nodes { cursor } } }
      }
    }
  `,
  [text],
)

const unread = graphql(
  `
    query Unread($after: String) {
      viewer {
        notifications(kinds: [MENTION, REPLY], first: 50, after: $after) {
          nodes { isUnread publication { ...Text } }
          pageInfo { endCursor hasNextPage }
        }
      }
    }
  `,
  [text],
)

const send = graphql('mutation Send($input: SendPostInput!) { sendPost(input: $input) { publication { uuid } } }')

const markRead = graphql(
  'mutation MarkRead($upTo: String!) { markNotificationsRead(input: { upTo: $upTo }) { viewer { uuid } } }',
)

type Text = ResultOf<typeof text> | null

const temporary = ['UNAVAILABLE', 'RATE_LIMITED', 'OUTCOME_UNKNOWN', 'IDEMPOTENCY_KEY_IN_USE']
/** The mention has been answered, or cannot be: it was deleted or locked, or a block hides it. */
const done = ['IDEMPOTENCY_KEY_REUSED', 'NOT_FOUND', 'POST_LOCKED']

const codesOf = (error: unknown) =>
  error instanceof CombinedError ? error.graphQLErrors.map(({ extensions }) => String(extensions.code)) : []
const has = (error: unknown, codes: readonly string[]) => codesOf(error).some((code) => codes.includes(code))

/** Whether the connection failed or was cut. */
const isCut = (error: unknown) =>
  error instanceof NetworkError || (error instanceof CombinedError && error.networkError !== undefined)

async function bot({ url, token }: Connection): Promise<void> {
  const place = process.argv[2] ?? 'place.txt'
  const headers = { authorization: `Bearer ${token}` }
  const client = connect({ url, token })
  const events = createClient({ url: `${url}/graphql`, headers, retryAttempts: 0 })
  const { viewer } = await ask(client, url, now, {})

  /** Replies to a publication that mentions the bot. For 24 hours, the key makes sure that retries send the reply only once. */
  async function answer(to: Text): Promise<void> {
    if (!to?.mentions.some(({ user }) => user.uuid === viewer?.uuid) || to.author.uuid === viewer?.uuid) return
    const input = { content: `Hello ${to.author.username}, I am a bot.`, parent: to.uuid }
    const fetchOptions = { headers: { ...headers, 'idempotency-key': `answer-${to.uuid}` } }
    const { error } = await client.mutation(send, { input }, { fetchOptions }).toPromise()
    if (error && !has(error, done)) throw error
    process.stdout.write(`${error ? 'Skipped' : 'Answered'} ${to.author.username}\n`)
  }

  /** Answers unread mentions, oldest first. */
  async function catchUp(after: string | null = null): Promise<void> {
    const { nodes = [], pageInfo } = (await ask(client, url, unread, { after })).viewer?.notifications ?? {}
    const isNew = nodes.filter(({ isUnread }) => isUnread)
    if (isNew.length > 0 && pageInfo?.hasNextPage) await catchUp(pageInfo.endCursor)
    for (const { publication } of isNew.reverse()) await answer(publication)
  }

  async function keep(cursor: string): Promise<void> {
    await writeFile(`${place}.new`, cursor)
    await rename(`${place}.new`, place)
  }

  /** Starts without a stored cursor. */
  async function begin(): Promise<void> {
    const { changeCursor } = await ask(client, url, now, {})
    await catchUp()
    await keep(changeCursor)
  }

  async function follow(after: string): Promise<void> {
    const request = { query: print(notified), variables: { after } }
    for await (const { data, errors = [] } of events.iterate<ResultOf<typeof notified>>(request)) {
      if (!data) throw new CombinedError({ graphQLErrors: [...errors] })
      const { cursor, publication, user } = data.changes
      await answer(publication)
      const upTo = user?.notifications?.nodes[0]?.cursor
      if (upTo) await client.mutation(markRead, { upTo }).toPromise()
      await keep(cursor)
    }
  }

  if (!existsSync(place)) await begin()
  process.stdout.write(`Answering mentions of ${viewer?.username}\n`)
  for (;;) {
    try {
      await follow(await readFile(place, 'utf8'))
    } catch (error) {
      if (has(error, ['CURSOR_EXPIRED'])) await begin()
      else if (has(error, temporary) || isCut(error)) process.stdout.write('Trying again …\n')
      else throw codesOf(error).length > 0 ? new Complaint(`The server refused the request: ${error}`) : error
    }
    await sleep(1_000)
  }
}

await run(bot, 'post.get reply.get reply.post user.get notification.get')
