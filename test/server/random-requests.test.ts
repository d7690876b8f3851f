import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { scopes } from '../../src/scopes.ts'
import { setCounters } from '../../src/seed/counters.ts'
import { makeToken, revoke } from '../support/access-tokens.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { faultsOf } from '../support/random-requests/faults.ts'
import { randomGraphQLRequests } from '../support/random-requests/graphql.ts'
import { createNeighbour, type Neighbour } from '../support/random-requests/neighbour.ts'
import type { Caller, RandomHttpRequest } from '../support/random-requests/request.ts'
import { randomRestRequests } from '../support/random-requests/rest.ts'
import { randomTest, timelyRuns } from '../support/random-runs.ts'
import type { Pools } from '../support/random-selection.ts'
import { type RawBytes, sendForBytes } from '../support/raw-request.ts'
import { globalIdOf } from '../support/reference.ts'
import { cursorOf } from '../support/reference-pages.ts'
import { ids, settle } from '../support/small-network.ts'

/** The seed, which `SEED` in the environment can set. A failure prints it. */
const seed = Number(process.env.SEED ?? 42)
const runs = 60
/** After this many milliseconds, a request counts as never answered. */
const never = 120_000

let app: TestApp
let neighbour: Neighbour
let callers: Record<Caller, { readonly token?: string; readonly secrets: readonly string[] }>
beforeAll(async () => {
  app = await startApp({ budgets: undefined })
  await settle(app.database)
  neighbour = await createNeighbour(app)
  const ada = { id: ids.ada, username: 'Ada', token: '' }
  const token = await app.token(ada, scopes)
  const withoutEmail = scopes.filter((scope) => scope !== 'user.email' && scope !== 'account.manage')
  const revoked = await makeToken(app, token)
  await revoke(app, token, revoked.id)
  const secrets = [...neighbour.secrets, 'bob@example.org', 'cyd@example.org']
  const withoutToken = [...secrets, 'Ada@Example.org', 'Ada Lovelace', 'A locked post', 'A reply to a reply']
  callers = {
    viewer: { token, secrets },
    narrow: { token: await app.token(ada, withoutEmail), secrets: [...secrets, 'Ada@Example.org'] },
    revoked: { token: revoked.token, secrets: withoutToken },
    nobody: { secrets: withoutToken },
  }
})
afterAll(() => app.close())

/** Brings back what earlier requests deleted, so that later ones find something. */
async function undelete(): Promise<void> {
  const { prisma } = app.database.write
  const { count } = await prisma.publication.updateMany({
    where: { authorId: ids.ada, id: { not: ids.adaGone }, deletedAt: { not: null } },
    data: { deletedAt: null, content: 'Back again' },
  })
  if (count > 0) await setCounters(prisma)
}

function send({ caller, method, path, headers, body }: RandomHttpRequest): Promise<RawBytes> {
  const { token } = callers[caller]
  const pieces = body === undefined ? [] : [body]
  // Node.js sends chunks only for methods that usually have a body.
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
  const all = { ...headers, ...(['POST', 'PUT', 'PATCH'].includes(method) ? {} : length) }
  return sendForBytes(app.origin, { method, path, headers: all, pieces, ...(token !== undefined && { token }) })
}

/** Sends requests of a kind, and returns the statuses of the responses. */
async function sendAll(requests: fc.Arbitrary<RandomHttpRequest>): Promise<ReadonlySet<number | undefined>> {
  const met = new Set<number | undefined>()
  const some = fc.array(requests, { minLength: 1, maxLength: 20, size: 'max' })
  const property = fc.asyncProperty(some, async (requests) => {
    await undelete()
    for (const request of requests) {
      const answer = await send(request)
      expect(faultsOf(request, answer, callers[request.caller].secrets), `${request.method} ${request.path}`).toEqual(
        [],
      )
      const isUnchanged = answer.status === 304
      expect(isUnchanged && neighbour.tags.includes(request.headers['if-none-match'] ?? '')).toBe(false)
      met.add(answer.status)
    }
  })
  await fc.assert(property, {
    seed,
    numRuns: runs,
    timeout: never,
    endOnFailure: true,
    ...timelyRuns,
  })
  expect(app.lines.filter(({ msg }) => msg === 'unexpected error')).toEqual([])
  return met
}

function pools(): Pools {
  const publications = [ids.adaPost, ids.bobPost, ids.adaReply, ids.bobReply, ids.bobNested, ids.adaOrphan, ids.nothing]
  const users = [ids.ada, ids.bob, ids.cyd]
  const global = [
    ...publications.flatMap((id) => [globalIdOf('Post', id), globalIdOf('Reply', id)]),
    ...users.map((id) => globalIdOf('User', id)),
    ...neighbour.tokenIds,
    ...['', 'x', globalIdOf('User', 'x'), globalIdOf('Nothing', ids.ada)],
  ]
  return {
    size: fc.oneof({ weight: 9, arbitrary: fc.integer({ min: 0, max: 4 }) }, fc.constantFrom(-1, 101, 2 ** 31 - 1)),
    offset: fc.oneof({ weight: 9, arbitrary: fc.integer({ min: 0, max: 3 }) }, fc.constantFrom(-1, 1_000_001)),
    uuid: fc.constantFrom(...publications, ...users),
    by: fc.oneof(
      fc.constantFrom('neighbour', 'bob', 'ADA', '').map((username) => ({ username })),
      fc.constantFrom(...users, 'x').map((uuid) => ({ uuid })),
      fc.constantFrom({}, { username: 'bob', uuid: ids.bob }),
    ),
    id: fc.constantFrom(...global),
    cursor: fc.option(fc.constantFrom(...publications.map(cursorOf), '', 'x'), { freq: 6 }),
  }
}

test(
  'random requests to the REST interface get documented responses without the data of others',
  randomTest,
  async () => {
    const met = await sendAll(randomRestRequests(neighbour))
    expect([...met]).toEqual(expect.arrayContaining([200, 400, 401, 403, 404, 405, 415, 422]))
  },
)

test('random GraphQL requests get documented responses without the data of others', randomTest, async () => {
  const met = await sendAll(randomGraphQLRequests(pools(), neighbour))
  expect([...met]).toEqual(expect.arrayContaining([200, 400, 401, 403, 405, 415]))
})

test('the data of others would be noticed', async () => {
  const query = '{ viewer { email } accessTokens { nodes { name } } applications { nodes { name website } } }'
  const own: RandomHttpRequest = {
    caller: 'viewer',
    method: 'POST',
    path: '/graphql',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  }
  const { token, secrets } = neighbour
  const answer = await sendForBytes(app.origin, { ...own, token, pieces: [JSON.stringify({ query })] })
  const shown = [
    'private.mail@neighbour.example',
    ...['private token name', 'private application', 'private.neighbour.example'],
  ]
  expect(secrets).toEqual(expect.arrayContaining(shown))
  expect(faultsOf(own, answer, secrets)).toEqual(shown.map((secret) => `it has ${secret}`))
})
