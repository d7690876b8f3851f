import type pg from 'pg'

/** Copies the rows of all tables to a database that has the same tables, without rows. */
export async function copyRows(from: pg.Client, to: pg.Client): Promise<void> {
  const { rows: tables } = await from.query<{ name: string }>(
    `select quote_ident(tablename) as name from pg_tables where schemaname = 'public' and tablename <> '_prisma_migrations'`,
  )
  // The rows are complete: neither foreign keys nor counters have to be looked after.
  await to.query('set session_replication_role = replica')
  for (const { name } of tables) {
    const { rows } = await from.query<{ rows: string | null }>(`select json_agg(t)::text as rows from ${name} t`)
    await to.query(`insert into ${name} select * from json_populate_recordset(null::${name}, $1::json)`, [
      rows[0]?.rows,
    ])
  }
  await to.query('reset session_replication_role')
  await to.query('vacuum analyze')
}
