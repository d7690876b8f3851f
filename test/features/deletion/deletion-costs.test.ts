import { v7 as newId } from 'uuid'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { type Person, startApp, type TestApp } from '../../support/app.ts'
import { onPostgres } from '../../support/database.ts'
import { deleteSuspended } from '../../support/networks/delete-suspended.ts'

let app: TestApp
let star: Person
beforeAll(async () => {
  app = await startApp()
  // Tables are so small that scans of them can be cheaper than an index.
  await app.database.write.prisma.$executeRaw`set enable_seqscan = off`
  star = await app.person('star')
})
afterAll(() => app.close())

/** An account with so many publications, half of them replies, of which one in ten has a like, a mention and a hashtag. */
async function author(size: number): Promise<Person> {
  const person = await app.person()
  const { prisma } = app.database.write
  const parent = await prisma.publication.create({ data: { id: newId(), authorId: star.id, content: 'Hello' } })
  const rows = Array.from({ length: size }, (_, index) => ({
    id: newId(),
    authorId: person.id,
    content: 'Hello',
    parentId: index % 2 ? parent.id : null,
  }))
  await prisma.publication.createMany({ data: rows })
  await prisma.publication.update({ where: { id: parent.id }, data: { replyCount: Math.floor(size / 2) } })
  const some = rows.filter((_row, index) => index % 10 === 0)
  await prisma.like.createMany({ data: some.map(({ id }) => ({ id: newId(), publicationId: id, userId: star.id })) })
  await prisma.mention.createMany({
    data: some.map(({ id }) => ({ publicationId: id, userId: star.id, rangeStart: 0, rangeEnd: 1 })),
  })
  await prisma.$executeRaw`update publications set like_count = 1 where id = any(${some.map(({ id }) => id)}::uuid[])`
  return person
}

const sums = z.tuple([z.object({ rows: z.coerce.number(), deletions: z.coerce.number() })])

/** What all tables and indexes have returned, and how many deletions were left to a job. */
async function counters() {
  const { prisma } = app.database.write
  await prisma.$queryRaw`select pg_stat_force_next_flush()::text`
  const [row] = sums.parse(
    await prisma.$queryRaw`
      select sum(pg_stat_get_tuples_returned(oid))::text as rows,
        pg_stat_get_tuples_inserted('publication_deletions'::regclass)::text as deletions
      from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'i')`,
  )
  return row
}

/** How many statements the deletion of such an account takes, and how many rows they look at. */
async function costOf(size: number) {
  const person = await author(size)
  await app.database.write.prisma.$executeRaw`vacuum analyze`
  const before = await counters()
  const statements = await app.statementsOf(async () => {
    expect(await deleteSuspended(app, person)).toMatchObject({ publications: size })
  })
  const after = await counters()
  return {
    statements: statements.length,
    rows: after.rows - before.rows,
    deletions: after.deletions - before.deletions,
  }
}

// On a server, transactions of other tests keep dead rows in the indexes, which count.
test.skipIf(onPostgres)(
  'the deletion of an account takes work in proportion to what it wrote, and leaves none for later',
  async () => {
    const [one, two, four] = [await costOf(200), await costOf(400), await costOf(800)]
    expect([one, two, four].map(({ deletions }) => deletions)).toEqual([0, 0, 0])
    // Twice as many publications more take twice as much more.
    for (const of of ['statements', 'rows'] as const)
      expect((four[of] - two[of]) / (two[of] - one[of]), of).toBeLessThan(2.4)
  },
)
