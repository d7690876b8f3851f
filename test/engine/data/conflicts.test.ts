import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Answer, type Person, startApp, type TestApp } from '../../support/app.ts'
import { publish } from '../../support/graphql/publish.ts'
import { signUp } from '../../support/graphql/sign-in.ts'

let app: TestApp
let ada: Person
let bob: Person
let post: string
beforeAll(async () => {
  app = await startApp()
  ada = await app.person('ada')
  // What a sequence counts stays counted when a transaction is rolled back.
  for (const statement of [
    'CREATE SEQUENCE conflicts',
    `CREATE FUNCTION conflict() RETURNS trigger LANGUAGE plpgsql AS $$
     BEGIN
       IF nextval('conflicts') <= TG_ARGV[0]::int THEN
         RAISE EXCEPTION USING ERRCODE = TG_ARGV[1], MESSAGE = 'conflict';
       END IF;
       RETURN NEW;
     END $$`,
  ])
    await app.database.write.prisma.$executeRawUnsafe(statement)
})
beforeEach(async () => {
  bob = await app.person()
  post = await publish(app, ada)
})
afterAll(() => app.close())

const mutate = (field: string, headers = {}) => app.graphql(ada.token, `mutation { ${field} }`, {}, { headers })

const writes: readonly (readonly [what: string, table: string, write: () => Promise<Answer>])[] = [
  ['a follow', 'follows', () => mutate(`setFollow(input: { uuid: "${bob.id}", followed: true }) { __typename }`)],
  ['a like', 'likes', () => mutate(`setLike(input: { uuid: "${post}", liked: true }) { __typename }`)],
  ['an edit', 'publications', () => mutate(`updatePost(input: { uuid: "${post}", content: "x" }) { __typename }`)],
  ['a deletion', 'publications', () => mutate(`deletePost(input: { uuid: "${post}" }) { __typename }`)],
  ['a profile', 'users', () => mutate('updateProfile(input: { bio: "x" }) { __typename }')],
  [
    'a token',
    'access_tokens',
    () => mutate('createAccessToken(input: { name: "x", scopes: [USER_GET] }) { __typename }'),
  ],
  ['an account', 'users', () => signUp(app, { username: `user_${performance.now()}`.replace('.', '_') })],
  [
    'a repeatable write',
    'publications',
    () => mutate(`updatePost(input: { uuid: "${post}", content: "y" }) { __typename }`, { 'idempotency-key': post }),
  ],
]

/** Runs a write while the first changes of the rows of a table fail, as they do because of other transactions. */
async function during(table: string, failures: number, code: string, write: () => Promise<Answer>): Promise<Answer> {
  const { prisma } = app.database.write
  await prisma.$executeRawUnsafe(`ALTER SEQUENCE conflicts RESTART`)
  await prisma.$executeRawUnsafe(
    `CREATE TRIGGER conflict BEFORE INSERT OR UPDATE ON ${table} FOR EACH ROW EXECUTE FUNCTION conflict(${failures}, '${code}')`,
  )
  return write().finally(() => prisma.$executeRawUnsafe(`DROP TRIGGER conflict ON ${table}`))
}

describe.each([
  ['serialization failures', '40001'],
  ['deadlocks', '40P01'],
])('after %s', (_what, code) => {
  test.each(writes)('%s succeeds', async (_write, table, write) => {
    expect(await during(table, 2, code, write)).toMatchObject({ status: 200, errors: [] })
  })
})

test.each(writes)('%s that keeps failing because of others ends as unavailable', async (_write, table, write) => {
  expect(await during(table, 1_000, '40001', write)).toMatchObject({
    status: 503,
    errors: [{ extensions: { code: 'UNAVAILABLE' } }],
  })
})
