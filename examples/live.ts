/*
 * Shows what happens in your home timeline, as it happens, with a typed GraphQL subscription over Server-Sent Events. When the
 * connection is cut, it continues after the last change that it received.
 *
 * Start the server in one terminal. In another one, run the example with the token that the server prints:
 *
 *   npm ci && npm start
 *   ROOKERY_TOKEN=rookery_… npm run example -- live
 *
 * For a server at another address than http://127.0.0.1:4000, set ROOKERY_URL.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client, CombinedError } from '@urql/core'
import type { ResultOf } from 'gql.tada'
import { Complaint, type Connection, run } from './connection.ts'
import { ask, connect, graphql } from './graphql.ts'
import { beginning, columns, styled } from './text.ts'

const now = graphql('query Now { viewer { username } changeCursor }')

const homeChanges = graphql(`
  subscription HomeChanges($after: String!) {
    changes(of: { home: true }, after: $after) {
      cursor
      kind
      actor { username }
      publication { content }
      user { username }
    }
  }
`)

type Change = ResultOf<typeof homeChanges>['changes']

function print({ kind, actor, publication, user }: Change): void {
  const what = publication?.content ?? (user ? `@${user.username}` : '')
  const name = `@${actor?.username ?? '…'}`.padEnd(16)
  const done = kind.toLowerCase().padEnd(11)
  process.stdout.write(`${styled('cyan', name)}${styled('dim', done)}${beginning(what, columns - 27)}\n`)
}

/** Passes on the changes after a cursor, until the connection is cut or refused. */
function follow(client: Client, after: string, onChange: (change: Change) => void): Promise<CombinedError> {
  return new Promise((resolve) => {
    client.subscription(homeChanges, { after }).subscribe(({ data, error }) => {
      if (error) resolve(error)
      else if (data) onChange(data.changes)
    })
  })
}

async function live({ url, token }: Connection): Promise<void> {
  const client = connect({ url, token })
  const { viewer, changeCursor } = await ask(client, url, now, {})
  let after = changeCursor
  process.stdout.write(`${styled('bold', `Changes for @${viewer?.username}`)}\n`)
  for (;;) {
    const { graphQLErrors } = await follow(client, after, (change) => {
      after = change.cursor
      print(change)
    })
    const [refused] = graphQLErrors
    if (refused && !['UNAVAILABLE', 'RATE_LIMITED'].includes(String(refused.extensions.code)))
      throw new Complaint(`The server refused the request: ${refused.message}`)
    process.stdout.write(`${styled('dim', 'The connection was cut. Trying again …')}\n`)
    await sleep(1_000)
  }
}

await run(live, 'post.get reply.get user.get')
