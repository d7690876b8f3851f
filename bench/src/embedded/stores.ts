import { cp, mkdtemp, rm } from 'node:fs/promises'
import pg from 'pg'
import { dropDatabase, remakeDatabase, runCommand } from '../database/create.ts'
import type { Options } from '../options.ts'
import { copyRows } from './copy-rows.ts'

/** The environment of a server: where its database is. */
export type Environment = Readonly<Record<string, string>>

/** The same data for one server after the other. */
export type Store = {
  /** Makes a copy for a server, runs `work` with it, and removes it. */
  withCopy<T>(work: (env: Environment) => Promise<T>): Promise<T>
}

/** How `pg` connects to the embedded database of a folder that is served. */
export const embeddedConnection = (folder: string): pg.ClientConfig => ({
  host: folder,
  user: 'postgres',
  database: 'postgres',
})

/** Runs `work` with a connection. */
export async function withClient<T>(config: pg.ClientConfig, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(config)
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** The folder of an embedded database, to be copied while nobody has it open. */
export function folderStore(folder: string): Store {
  return {
    withCopy: async (work) => {
      const copy = await mkdtemp(`${folder}-`)
      try {
        await cp(folder, copy, { recursive: true })
        return await work({ DATA_DIR: copy })
      } finally {
        await rm(copy, { recursive: true, force: true })
      }
    },
  }
}

function inDatabase(databaseUrl: string, database: string): string {
  const url = new URL(databaseUrl)
  url.pathname = `/${database}`
  return url.href
}

/** A database on a PostgreSQL server with the rows of another one. */
export async function serverStore({ databaseUrl, database }: Options, rows: pg.Client): Promise<Store> {
  const administer = <T>(work: (client: pg.Client) => Promise<T>) => withClient({ connectionString: databaseUrl }, work)
  await administer((client) => remakeDatabase(client, database))
  const connectionString = inDatabase(databaseUrl, database)
  await runCommand(['migrate'], { DATABASE_URL: connectionString })
  await withClient({ connectionString }, (client) => copyRows(rows, client))
  const copy = `${database}_copy`
  return {
    withCopy: async (work) => {
      await administer((client) => remakeDatabase(client, copy, database))
      try {
        return await work({ DATABASE_URL: inDatabase(databaseUrl, copy) })
      } finally {
        await administer((client) => dropDatabase(client, copy))
      }
    },
  }
}
