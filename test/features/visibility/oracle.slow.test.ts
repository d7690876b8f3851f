import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Random } from '../../../src/features/demo/random.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { settledCursor } from '../../support/graphql/changes.ts'
import { auditReads } from '../../support/visibility/audit.ts'
import { randomNetwork } from '../../support/visibility/network.ts'
import { Oracle } from '../../support/visibility/oracle.ts'

const first = Number(process.env.SEED ?? Date.now() % 100_000)

test.each([first, first + 1])(
  'everybody finds what is for them and nobody anything else, in a large random network with the seed %i',
  async (seed) => {
    const app = await startApp()
    const start = await settledCursor(app, await app.person())
    const oracle = new Oracle(await randomNetwork(app, { people: 10, publications: 40 }, seed))
    await auditReads(oracle, start, { readers: 10, lists: 60, ways: 80, asAgent: 5 }, new Random(seed))
    expect(oracle.wrong).toEqual([])
    expect(oracle.reads).toBeGreaterThan(1_000)
    await app.close()
  },
)

describe('the same comparison fails if', () => {
  const signature = 'viewer uuid, author uuid, audience publication_audience, circle uuid, parent_author uuid'
  const follows = (account: string) =>
    `EXISTS (SELECT FROM follows f WHERE f.follower_id = viewer AND f.followee_id = ${account})`
  const broken = [
    ['what is for followers is for everybody', "audience = 'FOLLOWERS'", 'true'],
    ['what is for addressees is for everybody', "audience = 'ADDRESSED'", 'true'],
    ['what is for addressees is also for followers', `audience = 'ADDRESSED' AND ${follows('author')}`, 'true'],
    ['private accounts are as open as others', "audience = 'EVERYBODY'", 'true'],
    ['a reply for followers is for those of who replies', `audience = 'FOLLOWERS' AND ${follows('author')}`, 'true'],
    ['a reply is not for whom it answers', "audience <> 'ADDRESSED' AND viewer = parent_author", 'false'],
    ['somebody does not find their own', 'viewer = author', 'false'],
  ] as const

  let app: TestApp
  let start: string
  let oracle: Oracle
  beforeAll(async () => {
    app = await startApp()
    start = await settledCursor(app, await app.person())
    oracle = new Oracle(await randomNetwork(app, { people: 8, publications: 100 }, 1))
    await app.database.write.prisma.$executeRawUnsafe('ALTER FUNCTION readable RENAME TO readable_as_meant')
  })
  afterAll(() => app.close())

  const replaceRule = (condition: string, result: string) =>
    app.database.write.prisma.$executeRawUnsafe(
      `CREATE OR REPLACE FUNCTION readable(${signature}) RETURNS SETOF boolean LANGUAGE sql STABLE AS $$
        SELECT CASE WHEN ${condition} THEN ${result} ELSE r END
        FROM readable_as_meant(viewer, author, audience, circle, parent_author) r $$`,
    )

  /** What somebody sees of what is not for them, and what is wrong otherwise. */
  async function compare(): Promise<{ leaks: number; wrong: number }> {
    const { network } = oracle
    oracle = new Oracle(network)
    const readers = (await oracle.readers()).filter(({ mayLittle }) => !mayLittle)
    for (const reader of readers) await oracle.compareLookups(reader)
    const wrong = oracle.wrong.length
    const ways = oracle
      .waysAfter(start)
      .filter(({ name }) => /^(publications|users) \d+$/.test(name) || name === '/post')
    for (const reader of readers) for (const way of ways) await oracle.read(reader, way)
    return { leaks: oracle.wrong.length - wrong, wrong }
  }

  test.each(broken)('%s', async (_what, condition, result) => {
    await replaceRule(condition, result)
    const { leaks, wrong } = await compare()
    expect(wrong).toBeGreaterThan(0)
    if (result === 'true') expect(leaks).toBeGreaterThan(0)
  })

  test.each(['blocked_pairs', 'hidden_accounts'])('%s is empty', async (table) => {
    await replaceRule('false', 'false')
    expect(await compare()).toEqual({ leaks: 0, wrong: 0 })
    const rows = await app.database.write.prisma.$queryRawUnsafe<object[]>(`DELETE FROM ${table} RETURNING *`)
    const { leaks, wrong } = await compare()
    expect([rows.length > 0, leaks > 0, wrong > 0]).toEqual([true, true, true])
    await app.database.write.prisma.$executeRawUnsafe(
      `INSERT INTO ${table} SELECT * FROM json_populate_recordset(NULL::${table}, $1::json)`,
      JSON.stringify(rows),
    )
  })
})
