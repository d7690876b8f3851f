import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Person, startApp, type TestApp } from '../../support/app.ts'
import { onPostgres, openTestDatabase } from '../../support/database.ts'
import { publish } from '../../support/graphql/publish.ts'

type Prepared = { readonly statement: string; readonly since: Date }

let app: TestApp
let ada: Person
let post: string
beforeAll(async () => {
  // All statements run on one connection.
  app = await startApp({}, (log) => openTestDatabase(log, 1))
  ada = await app.person('ada')
  post = await publish(app, ada)
})
afterAll(() => app.close())

const unique = (name: string) => `{ ${name}: viewer { ${name}_uuid: uuid } }`

/** The statements with this in their text that are prepared. The one session of PGlite has those of all connections. */
function prepared(part: string): Promise<Prepared[]> {
  return app.database.write.prisma.$queryRaw`
    SELECT statement, prepare_time AS since FROM pg_prepared_statements
    WHERE strpos(statement, ${part}) > 0 AND strpos(statement, 'pg_prepared_statements') = 0 ORDER BY 1, 2`
}

async function send(source: string, times: number): Promise<void> {
  for (let time = 0; time < times; time += 1) {
    expect(await app.graphql(ada.token, source)).toMatchObject({ errors: [] })
  }
}

async function readPost(): Promise<void> {
  expect((await app.rest(ada.token, 'GET', `/post/${post}`)).status).toBe(200)
}

test('repeated documents are prepared after any number of others, and REST documents stay prepared', async () => {
  const ofPost = '"likeCount"'
  for (let time = 0; time < 12; time += 1) await readPost()
  const before = await prepared(ofPost)
  expect(before.length).toBeGreaterThan(0)

  for (let index = 0; index < 300; index += 1) await send(unique(`early_${index}`), 2)
  await send(unique('late'), 12)
  expect((await prepared('late_uuid')).length).toBeGreaterThan(0)

  await readPost()
  expect(await prepared(ofPost)).toEqual(expect.arrayContaining(before))
  // Most of the earlier ones were deallocated. On the embedded database, the connections share one session.
  if (onPostgres) expect((await prepared('early_')).length).toBeLessThanOrEqual(256)
})

test('documents that are sent once are not prepared', async () => {
  for (let index = 0; index < 20; index += 1) await send(unique(`once_${index}`), 1)
  expect(await prepared('once_')).toEqual([])
})

test('statements of requests without a token are not prepared', async () => {
  const signUp = 'mutation ($input: SignUpInput!) { signUp(input: $input) { viewer { signed_up_uuid: uuid } } }'
  for (const username of ['grace', 'alan', 'edsger']) {
    const input = { username, email: `${username}@example.org`, password: 'correct horse battery' }
    expect(await app.graphql(undefined, signUp, { input })).toMatchObject({ errors: [] })
  }
  expect(await prepared('signed_up_uuid')).toEqual([])
})

test('the total length of prepared statements is limited', async () => {
  const long = (name: string) => {
    const fields = Array.from({ length: 40 }, (_, index) => `${name}_${index}_${'x'.repeat(40)}: uuid`)
    return `{ viewer { ${fields.join(' ')} } }`
  }
  for (let index = 0; index < 60; index += 1) await send(long(`long_${index}`), 2)
  const lengths = (await prepared('long_')).map(({ statement }) => statement.length)
  expect(lengths.length).toBeGreaterThan(0)
  if (onPostgres) expect(lengths.reduce((sum, length) => sum + length, 0)).toBeLessThanOrEqual(131_072)
})
