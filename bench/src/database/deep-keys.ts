import type pg from 'pg'
import type { DeepKeys } from '../works/home.ts'
import type { Sample } from './sample.ts'

const depth = 400

/** Where the page after the first 400 posts of each reader's home timeline begins, or after the first half of a shorter one. */
export async function deepKeysOf(db: pg.Client, { readers }: Sample): Promise<DeepKeys> {
  const keys = new Map<string, string>()
  for (const { id } of readers.flatMap(({ viewers }) => viewers)) {
    const { rows } = await db.query<{ id: string }>(
      `with home as (
        select p.id, row_number() over (order by p.id desc) as place, count(*) over () as count
        from live_publications p
        where p.parent_id is null
          and (p.author_id = $1 or p.author_id in (select followee_id from follows where follower_id = $1)))
      select id from home where place = least($2::int, (count + 1) / 2)`,
      [id, depth],
    )
    const [row] = rows
    if (row) keys.set(id, row.id)
  }
  return keys
}
