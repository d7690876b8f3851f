import { rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'

/** A database of the run's own. */
export type StressDatabase = {
  readonly kind: 'embedded' | 'PostgreSQL'
  /** What Rookery is told about it. */
  readonly env: Readonly<Record<string, string>>
  /** How to connect to it; to the embedded one while Rookery serves it. */
  readonly connection: pg.ClientConfig
  drop(): Promise<void>
}

/** Makes a folder for an embedded database. */
export async function createEmbedded(): Promise<StressDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'rookery-stress-'))
  const data = join(folder, 'data')
  const remove = () => rmSync(folder, { recursive: true, force: true })
  // However this ends.
  process.once('exit', remove)
  return {
    kind: 'embedded',
    env: { DATA_DIR: data },
    connection: { host: data, user: 'postgres', database: 'postgres' },
    drop: async () => remove(),
  }
}

/** Creates a database on a PostgreSQL server, anew where it was left over. */
export async function createOnPostgres(serverUrl: string, name = 'rookery_stress'): Promise<StressDatabase> {
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  const run = async (...statements: string[]) => {
    const client = new pg.Client({ connectionString: serverUrl })
    await client.connect()
    try {
      for (const statement of statements) await client.query(statement)
    } finally {
      await client.end()
    }
  }
  const drop = `drop database if exists ${name} with (force)`
  // Stalls of the disk would hide what is measured.
  await run(drop, `create database ${name}`, `alter database ${name} set synchronous_commit to off`)
  return {
    kind: 'PostgreSQL',
    env: { DATABASE_URL: url.href },
    connection: { connectionString: url.href },
    drop: () => run(drop),
  }
}
