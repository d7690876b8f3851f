import pg from 'pg'
import { openEmbedded } from '../../../src/engine/data/embedded/embedded-server.ts'
import { createLog } from '../../../src/engine/log.ts'
import { createServerDatabase, onPostgres } from '../database.ts'
import { createFolder } from '../folder.ts'

/** A database without tables, and a connection to it. */
export type EmptyDatabase = {
  readonly client: pg.Client
  readonly connection: pg.ClientConfig
  /** Opens another connection, which the caller ends. */
  connect(): Promise<pg.Client>
  /** Removes the database. */
  remove(): Promise<void>
}

/** Creates a database without tables. */
export async function createEmptyDatabase(): Promise<EmptyDatabase> {
  const { connection, remove } = onPostgres ? await createOnServer() : await createEmbedded()
  const connect = async () => {
    const client = new pg.Client(connection)
    await client.connect()
    return client
  }
  const client = await connect()
  return { client, connection, connect, remove: () => client.end().then(remove) }
}

async function createOnServer() {
  const { url, drop } = await createServerDatabase()
  return { connection: { connectionString: url }, remove: drop }
}

async function createEmbedded() {
  const { folder, remove } = createFolder()
  const { connection, close } = await openEmbedded(
    { folder, opener: 'server', prebuilt: undefined },
    createLog('silent'),
  )
  return { connection, remove: () => close().then(remove) }
}
