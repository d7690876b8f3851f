import type pg from 'pg'
import { NIL as nil } from 'uuid'
import { z } from 'zod'
import type { Log } from '../log.ts'

/** How many rows are filled in one transaction, so that no write waits long. */
const batchSize = 1_000

const batch = z.tuple([z.object({ last: z.uuid().nullable() })])

/**
 * Gives the publications after an id their roots. Those whose parent is neither filled nor in the batch are passed over: a parent may have
 * a later id. Rows are locked in the order of their ids, as all writes do. The last limit keeps the planner from reading the whole table.
 */
const fillRoots = `
  WITH RECURSIVE batch AS MATERIALIZED (
    SELECT p.id, p.parent_id FROM publications p WHERE p.root_id IS NULL AND p.id > $1::uuid
    ORDER BY p.id LIMIT ${batchSize} FOR NO KEY UPDATE),
  known (id, root_id) AS (
    SELECT b.id, coalesce(parent.root_id, b.id) FROM batch b LEFT JOIN publications parent ON parent.id = b.parent_id
    WHERE b.parent_id IS NULL OR parent.root_id IS NOT NULL
    UNION ALL SELECT b.id, known.root_id FROM known JOIN batch b ON b.parent_id = known.id),
  filled AS (
    UPDATE publications p SET root_id = known.root_id FROM (SELECT * FROM known LIMIT ${batchSize}) known WHERE p.id = known.id)
  SELECT (SELECT b.id FROM batch b ORDER BY b.id DESC LIMIT 1) AS last`

/**
 * Fills what migrations have left, on a connection of its own. It can be interrupted, and run beside other processes and beside writes:
 * what is missing is what is null. A reply sent to a publication without a root has none either, so it is done once a walk meets none.
 */
export async function backfill(client: pg.ClientBase, log: Log): Promise<void> {
  const { rows } = await client.query('SELECT FROM backfills')
  if (rows.length === 0) return
  log.info('filling the roots of threads')
  while (await walk(client));
  await client.query('DELETE FROM backfills')
}

/** Walks over all publications without a root. Returns whether there were any. */
async function walk(client: pg.ClientBase): Promise<boolean> {
  let found = false
  for (let after: string = nil; ; found = true) {
    const last = await fillAfter(client, after)
    if (last === null) return found
    after = last
  }
}

async function fillAfter(client: pg.ClientBase, after: string): Promise<string | null> {
  await client.query('BEGIN')
  try {
    // PgBouncer's sessions have the limits of requests.
    await client.query('SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0')
    const { rows } = await client.query(fillRoots, [after])
    await client.query('COMMIT')
    return batch.parse(rows)[0].last
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined)
    throw error
  }
}
