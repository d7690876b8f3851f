import { getIntrospectionQuery } from 'graphql'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addWriter } from '../../support/networks/writer.ts'
import { type CommandDatabase, commandDatabase } from '../../support/processes/command-database.ts'
import { endProcesses, type ServerProcess, startRookery } from '../../support/processes/rookery-process.ts'
import { globalIdOf } from '../../support/reference/schema.ts'
import { times } from '../../support/times.ts'

/** The heap of the server, in MiB. */
const heap = 256

let database: CommandDatabase
let server: ServerProcess
let token: string
let post: string

beforeAll(async () => {
  database = await commandDatabase()
  const writer = await addWriter(database, 1)
  token = writer.token
  post = writer.subjects[0]?.post ?? ''
  await database.use(({ write: { prisma } }) => prisma.$executeRawUnsafe(network))
  const NODE_OPTIONS = `--max-old-space-size=${heap}`
  server = await startRookery({ ...database.env, LOG_LEVEL: 'silent', RATE_LIMIT: 'off', NODE_OPTIONS })
})
afterAll(async () => {
  await endProcesses()
  await database.remove()
})

/**
 * Ada follows 5,000 accounts that have a post each. Bob has 200 posts of characters that JSON writes as six bytes, written before
 * control characters were refused.
 */
const network = `
  WITH people AS (
    INSERT INTO users (id, username, display_name, email)
    SELECT gen_random_uuid(), 'crowd_' || n, 'Crowd', 'crowd@example.org' FROM generate_series(1, 5000) n RETURNING id),
  follows AS (
    INSERT INTO follows (id, follower_id, followee_id)
    SELECT gen_random_uuid(), (SELECT id FROM users WHERE username = 'ada'), id FROM people),
  posts AS (
    INSERT INTO publications (id, author_id, content) SELECT gen_random_uuid(), id, 'Hello' FROM people)
  INSERT INTO publications (id, author_id, content)
  SELECT gen_random_uuid(), (SELECT id FROM users WHERE username = 'bob'), repeat(chr(1), 500) FROM generate_series(1, 200)`

type Operation = { readonly query: string; readonly token?: string | undefined; readonly operationName?: string }

/** Sends an operation, and returns the status of its response, which it reads. */
async function send({ query, token, operationName }: Operation): Promise<number> {
  const response = await fetch(`${server.origin}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
    body: JSON.stringify({ query, operationName }),
  })
  await response.arrayBuffer()
  return response.status
}

/** Sends so many operations, so many at a time. */
async function flood(count: number, atOnce: number, operation: (nth: number) => Operation): Promise<void> {
  let nth = 0
  const sender = async () => {
    while (nth < count) {
      const status = await send(operation(nth++))
      expect([200, 400, 503]).toContain(status)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, sender))
}

const comment = (nth: number) => `#${nth} ${'ж'.repeat(16_000)}`

const page = (name: string) => `${name}: replies(first: 1, offset: 1) { nodes { uuid } }`
/** Levels that ask posts and replies for different things, so that the SQL grows with each. */
function nested(levels: number, nth: number): string {
  const inner = times(10, (index) => page(`p${nth}_${index}`))
  const around = (selection: string) =>
    `r: replies(first: 1) { nodes { parent { ... on Post { ${selection} ${inner} } ... on Reply { ${selection} } } } }`
  let selection = inner
  for (let level = 0; level < levels; level += 1) selection = around(selection)
  return `{ post(uuid: "${post}") { ${selection} } }`
}

const timeline = (name: string) => `${name}: publicTimeline(first: 1) { nodes { uuid content author { username } } }`
const aliasedIntrospection = (nth: number) =>
  `{ __schema { types { ...A } } }
   fragment A on __Type { name ${times(8, (index) => `a${nth}_${index}: fields(includeDeprecated: true) { ...B }`)} }
   fragment B on __Field { name ${times(8, (index) => `b${index}: args { ...C }`)} type { ...C2 } }
   fragment C on __InputValue { name description type { ...C2 } }
   fragment C2 on __Type { name ofType { name ofType { name } } }`
const pagesOfPages = (size: number) =>
  `{ publicTimeline(first: 100) { nodes { author { posts(first: ${size}) { nodes { content author { ` +
  'followers(first: 1, offset: 1000) { nodes { uuid } } } } } } } } }'

test.each<[string, number, number, (nth: number) => Operation]>([
  ['documents made of comments, without a token', 300, 16, (nth) => ({ query: `{ __typename } ${comment(nth)}` })],
  ['documents made of comments', 500, 16, (nth) => ({ query: `{ __typename } ${comment(nth)}`, token })],
  [
    'documents with an operation that does not run',
    200,
    16,
    (nth) => ({
      query: `query A { viewer { uuid } } query B { ${times(30, (index) => timeline(`p${nth}_${index}`))} }`,
      operationName: 'A',
      token,
    }),
  ],
  ['small documents whose SQL is long', 100, 16, (nth) => ({ query: nested(4, nth), token })],
  [
    'statements that fill the caches of query plans',
    150,
    16,
    (nth) => ({ query: `{ ${times(25, (index) => timeline(`p${nth % 50}_${index}`))} }`, token }),
  ],
  ['deep pages of pages', 50, 16, () => ({ query: pagesOfPages(2), token })],
  [
    'aliases of node',
    100,
    16,
    () => ({
      query: `{ ${times(40, (index) => `n${index}: node(id: "${globalIdOf('Post', post)}") { id }`)} }`,
      token,
    }),
  ],
  ['introspection with aliased fragments', 100, 16, (nth) => ({ query: aliasedIntrospection(nth) })],
  [
    'the introspection of tools in ever new documents',
    100,
    16,
    (nth) => ({ query: `${getIntrospectionQuery()}#${nth}` }),
  ],
  [
    'texts that JSON writes six times as long',
    100,
    16,
    () => ({
      query: '{ user(by: { username: "bob" }) { posts(first: 100) { nodes { content again: content } } } }',
      token,
    }),
  ],
  [
    'aliases of the home timeline of an account that follows 5,000',
    30,
    16,
    () => ({ query: `{ ${times(10, (index) => `h${index}: homeTimeline(first: 5) { nodes { uuid } }`)} }`, token }),
  ],
])('answers after %s', async (_name, count, atOnce, operation) => {
  await flood(count, atOnce, operation)
  expect(await send({ query: '{ viewer { uuid } }', token })).toBe(200)
})
