import type { Client } from '../data/client.ts'
import type { Row } from './rows.ts'

// The client keeps the parameters of its last statements, so larger batches take memory without saving time.
const rowsInStatement = 1_000

/** Inserts rows, all with the same columns, into a table in batches, reports the size of each, and holds only one at a time. */
export async function insertRows(
  client: Client,
  table: string,
  rows: Iterable<Row>,
  onInserted: (count: number) => void,
): Promise<void> {
  let batch: Row[] = []
  const insert = async () => {
    if (batch.length === 0) return
    const columns = Object.keys(batch[0] ?? {}).join(', ')
    const statement = `insert into ${table} (${columns}) select ${columns} from jsonb_populate_recordset(null::${table}, $1::jsonb)`
    await client.$executeRawUnsafe(statement, JSON.stringify(batch))
    onInserted(batch.length)
    batch = []
  }
  for (const row of rows) if (batch.push(row) === rowsInStatement) await insert()
  await insert()
}
