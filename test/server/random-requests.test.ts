import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { errorCodes } from '../../src/errors.ts'
import { scopes } from '../../src/scopes.ts'
import { makeApplication, makeToken } from '../support/access-tokens.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { publish } from '../support/publish.ts'
import { type RandomHttpRequest, randomGraphQLRequests, randomRestRequests } from '../support/random-requests.ts'
import { randomTest, timelyRuns } from '../support/random-runs.ts'
import type { Pools } from '../support/random-selection.ts'
import { sendRaw } from '../support/raw-request.ts'
import { globalIdOf } from '../support/reference.ts'
import { cursorOf } from '../support/reference-pages.ts'
import { personOf, signUp } from '../support/sign-in.ts'
import { ids, settle } from '../support/small-network.ts'

/** The seed, which `SEED` in the environment can set. A failure prints it. */
const seed = Number(process.env.SEED ?? 42)
const runs = 300

let app: TestApp
let token: string
/** Texts that only the neighbour may see, or nobody. */
let secrets: readonly string[]
/** Idempotency keys and entity tags of the neighbour. */
let known: readonly string[]
let neighbour: string
beforeAll(async () => {
  app = await startApp({ budgets: undefined })
  await settle(app.database)
  token = await app.token({ id: ids.ada, username: 'Ada', token: '' }, scopes)
  await createNeighbour()
})
afterAll(() => app.close())

/** Creates an account with tokens, an application, a deleted and an edited post, and a result that is kept for retries. */
async function createNeighbour(): Promise<void> {
  const account = { username: 'neighbour', email: 'private.mail@neighbour.example', password: 'private password' }
  const person = personOf(await signUp(app, account))
  neighbour = person.token
  const made = await makeToken(app, neighbour, { name: 'private token' })
  await makeApplication(app, neighbour, { name: 'private application' })
  const deleted = await publish(app, person, { content: 'private since its deletion' })
  await app.rest(neighbour, 'DELETE', `/post/${deleted}`)
  const key = 'key-of-the-neighbour'
  const query = 'mutation { updateProfile(input: { bio: "Hello" }) { viewer { email } } }'
  await app.graphql(neighbour, query, {}, { headers: { 'idempotency-key': key } })
  const own = await app.rest(neighbour, 'GET', '/user')
  known = [key, own.headers.get('etag') ?? 'none']
  const hashes = [neighbour, made.token].map((each) => createHash('sha256').update(each))
  secrets = [
    ...[account.email, account.password, neighbour, made.token, 'private token', 'private application'],
    ...['private since its deletion', 'bob@example.org', 'cyd@example.org'],
    ...hashes.flatMap((hash) => [hash.copy().digest('hex'), hash.digest('base64url')]),
  ]
}

async function send({ method, path, headers, body }: RandomHttpRequest, bearer = token) {
  // Node.js sends chunks only for methods that usually have a body.
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
  const all = { ...headers, ...(['POST', 'PUT', 'PATCH'].includes(method) ? {} : length) }
  const own = 'authorization' in headers ? {} : { token: bearer }
  const pieces = body === undefined ? [] : [body]
  const answer = await sendRaw(app.origin, {
    method,
    path,
    headers: { 'accept-encoding': 'identity', ...all },
    pieces,
    ...own,
  })
  return { ...answer, all: `${JSON.stringify(answer.headers)} ${answer.body}` }
}

/** Sends random requests, and returns the statuses of the responses. */
async function sendAll(requests: fc.Arbitrary<RandomHttpRequest>): Promise<unknown[]> {
  const met = new Set<unknown>()
  const property = fc.asyncProperty(requests, async (request) => {
    const { status = 0, all, body } = await send(request)
    met.add(status)
    expect(status).toBeGreaterThanOrEqual(200)
    expect(status).toBeLessThan(500)
    expect(secrets.filter((secret) => all.includes(secret))).toEqual([])
    const [, code] = /"code":"(\w+)"/.exec(body) ?? []
    if (status >= 400 && body.startsWith('{')) expect(Object.keys(errorCodes)).toContain(code)
  })
  await fc.assert(property, { seed, numRuns: runs, endOnFailure: true, ...timelyRuns })
  expect(app.lines.filter(({ msg }) => msg === 'unexpected error')).toEqual([])
  return [...met]
}

function pools(): Pools {
  const publications = [ids.adaPost, ids.bobPost, ids.adaReply, ids.bobReply, ids.bobNested, ids.adaOrphan, ids.nothing]
  const users = [ids.ada, ids.bob, ids.cyd]
  const global = [
    ...publications.flatMap((id) => [globalIdOf('Post', id), globalIdOf('Reply', id)]),
    ...users.map((id) => globalIdOf('User', id)),
    ...['', 'x', globalIdOf('User', 'x'), globalIdOf('Nothing', ids.ada)],
  ]
  return {
    size: fc.oneof({ weight: 9, arbitrary: fc.integer({ min: 0, max: 4 }) }, fc.constantFrom(-1, 101, 2 ** 31 - 1)),
    offset: fc.oneof({ weight: 9, arbitrary: fc.integer({ min: 0, max: 3 }) }, fc.constantFrom(-1, 1_000_001)),
    uuid: fc.constantFrom(...publications, ...users),
    by: fc.constantFrom({ username: 'neighbour' }, { username: '' }, { uuid: ids.bob }, { uuid: 'x' }, {}),
    id: fc.constantFrom(...global),
    cursor: fc.option(fc.constantFrom(...publications.map(cursorOf), '', 'x'), { freq: 6 }),
  }
}

test('random REST requests get documented responses without the data of others', randomTest, async () => {
  const met = await sendAll(randomRestRequests(known))
  expect(met).toEqual(expect.arrayContaining([200, 400, 401, 403, 404, 405, 415, 422]))
})

test('random GraphQL requests get documented responses without the data of others', randomTest, async () => {
  const met = await sendAll(randomGraphQLRequests(pools(), known))
  expect(met).toEqual(expect.arrayContaining([200, 400, 401, 405, 415]))
})

test('the data of others would be noticed', async () => {
  const query = '{ viewer { email } accessTokens { nodes { name } } applications { nodes { name } } }'
  const headers = { 'content-type': 'application/json' }
  const own = { method: 'POST', path: '/graphql', headers, body: JSON.stringify({ query }) }
  const { all } = await send(own, neighbour)
  expect(secrets.filter((secret) => all.includes(secret))).toEqual([
    'private.mail@neighbour.example',
    'private token',
    'private application',
  ])
})
