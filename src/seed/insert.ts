import type { Client } from '../data/client.ts'
import type { Row } from './rows.ts'

// The client keeps the parameters of its last statements, so larger batches take memory without saving time.
const rowsInStatement = 1_000

const tables = {
  users:
    'id uuid, username text, display_name text, email text, email_verified boolean, bio text, joined_at timestamptz',
  badges: 'id uuid, name text',
  user_badges: 'user_id uuid, badge_id uuid',
  applications: 'id uuid, owner_id uuid, name text, website text, created_at timestamptz',
  publications:
    'id uuid, parent_id uuid, author_id uuid, application_id uuid, content text, locked boolean, created_at timestamptz',
  likes: 'id uuid, publication_id uuid, user_id uuid',
  follows: 'id uuid, follower_id uuid, followee_id uuid',
} as const

/** A table that is seeded. */
export type Table = keyof typeof tables

function* batches<T>(items: Iterable<T>, size: number): Generator<T[]> {
  let batch: T[] = []
  for (const item of items) {
    batch.push(item)
    if (batch.length < size) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}

/** Inserts rows in batches, reports the size of each, and holds only one at a time. */
export async function insertRows(
  client: Client,
  table: Table,
  rows: Iterable<Row>,
  onInserted: (count: number) => void,
): Promise<void> {
  const columns = tables[table].replace(/ [a-z]+(,|$)/g, '$1')
  const statement = `insert into ${table} (${columns})
    select ${columns} from jsonb_to_recordset($1::jsonb) as batch(${tables[table]})`
  for (const batch of batches(rows, rowsInStatement)) {
    await client.$executeRawUnsafe(statement, JSON.stringify(batch))
    onInserted(batch.length)
  }
}
