import fc from 'fast-check'
import type pg from 'pg'
import type { schema } from '../../../src/server/schema.ts'
import { cursorOf } from '../../../test/support/reference/pages.ts'
import { type RandomQuery, randomQuery } from '../../../test/support/reference/random-selection.ts'

/** Random documents, and who sends them: an account, and how many others it follows. */
export type Drawn = {
  readonly viewerId: string
  readonly followed: number
  readonly documents: readonly RandomQuery[]
}

const seed = 2021

async function idsOf(db: pg.Client, text: string): Promise<[string, ...string[]]> {
  const { rows } = await db.query<{ id: string }>(text)
  const [first, ...others] = rows.map(({ id }) => id)
  if (first === undefined) throw new Error('The database is empty.')
  return [first, ...others]
}

/** Draws documents about the largest that there is: the longest threads, those who published most, those who are followed most. */
export async function drawDocuments(db: pg.Client, of: typeof schema, count: number): Promise<Drawn> {
  const publications = await idsOf(db, 'select id from live_publications order by reply_count desc limit 5')
  const followed = await idsOf(db, 'select id from users order by follower_count desc limit 3')
  const following = await idsOf(db, 'select id from users order by following_count desc limit 3')
  const authors = await idsOf(
    db,
    'select author_id as id from live_publications where parent_id is null group by 1 order by count(*) desc limit 3',
  )
  const users = [...followed, ...following, ...authors]
  const query = randomQuery(of, {
    uuid: fc.constantFrom(...publications),
    by: fc.constantFrom(...users).map((uuid) => ({ uuid })),
    id: fc.constantFrom(...users).map((id) => btoa(`User:${id}`)),
    name: fc.constantFrom('harbour', 'nobody'),
    text: fc.constantFrom('the', 'harbour', 'nobody'),
    cursor: fc.option(fc.constantFrom(...publications).map(cursorOf), { freq: 1 }),
    size: fc.constantFrom(0, 1, 3, 10, 30, 100),
    offset: fc.constantFrom(0, 1, 30, 1_000, 100_000),
  })
  const { rows } = await db.query<{ count: number }>('select following_count as count from users where id = $1', [
    following[0],
  ])
  return {
    viewerId: following[0],
    followed: rows[0]?.count ?? 0,
    documents: fc.sample(query, { seed, numRuns: count }),
  }
}
