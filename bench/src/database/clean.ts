import type pg from 'pg'
import type { Work } from '../works/work.ts'
import { sentText } from '../works/writes.ts'

/** Removes what a work left behind, so the next server finds the same data; what it deleted is vacuumed away. */
export async function cleanUp(db: pg.Client, { leaves, calls }: Pick<Work, 'leaves' | 'calls'>): Promise<void> {
  if (leaves === 'posts') {
    // Nothing refers to what was just sent, and looking for that would read the whole table for each row.
    await db.query('set session_replication_role = replica')
    await db.query('delete from publications where content like $1', [`${sentText}%`])
    await db.query('reset session_replication_role')
    await db.query('vacuum publications')
  }
  if (leaves === 'likes') {
    const pairs = [calls.map(({ viewer }) => viewer.id), calls.map(({ variables }) => variables.uuid)]
    await db.query(
      `with gone as (
        delete from likes l using unnest($1::uuid[], $2::uuid[]) pair(viewer, publication)
        where l.user_id = pair.viewer and l.publication_id = pair.publication returning l.publication_id as id)
      update publications p set like_count = p.like_count - gone_of.count
      from (select id, count(*) from gone group by id) gone_of where p.id = gone_of.id`,
      pairs,
    )
    await db.query('vacuum likes, publications')
  }
}
