import { cpSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { openEmbedded } from '../../../src/engine/data/embedded/embedded-server.ts'
import { clusterIn } from '../../../src/engine/data/embedded/folder.ts'
import { createLog } from '../../../src/engine/log.ts'
import { createFolder } from '../folder.ts'

/** A migrated, embedded database that runs in this process. */
export type EmbeddedDatabase = {
  readonly folder: string
  /** Empties the database for the next test file, or closes it if a test changed its definitions. */
  release(): Promise<void>
}

const free: EmbeddedDatabase[] = []

/** Returns an empty database: one that an earlier test file has released, or a new copy of this cluster. */
export async function takeEmbeddedDatabase(cluster: string): Promise<EmbeddedDatabase> {
  return free.pop() ?? copyDatabase(cluster)
}

async function copyDatabase(cluster: string): Promise<EmbeddedDatabase> {
  // The files of those that are free at the end go with those of the cluster.
  const { folder, remove } = createFolder(join(cluster, '../..'))
  cpSync(cluster, clusterIn(folder), { recursive: true })
  const server = await openEmbedded({ folder, opener: 'server', prebuilt: undefined }, createLog('silent'))
  const client = new pg.Client(server.connection)
  await client.connect()
  const original = await definitionsOf(client)
  const truncation = await truncationOf(client)
  const database: EmbeddedDatabase = {
    folder,
    release: async () => {
      await client.query(truncation)
      if ((await definitionsOf(client)) === original) {
        free.push(database)
        return
      }
      await client.end()
      await server.close()
      await remove()
    },
  }
  return database
}

/** A statement that empties all tables but that of the migrations, and forgets what `ANALYZE` found. */
async function truncationOf(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ tables: string }>(
    `SELECT string_agg(format('%I', tablename), ', ') AS tables FROM pg_tables
     WHERE schemaname = 'public' AND tablename <> '_prisma_migrations'`,
  )
  return `SET session_replication_role = replica; SET allow_system_table_mods = on;
    TRUNCATE ${rows[0]?.tables} RESTART IDENTITY; DELETE FROM pg_statistic;
    INSERT INTO changes (kind) VALUES ('FOLLOWED'); -- as prisma/rules.sql
    RESET allow_system_table_mods; RESET session_replication_role`
}

/** A digest of what tests may change besides rows: tables, columns, functions, triggers, roles, and settings. */
async function definitionsOf(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ digest: string }>(
    `SELECT md5(string_agg(definition, ' ' ORDER BY definition)) AS digest FROM (
       SELECT concat(relname, relkind, relacl, reloptions, relrowsecurity) FROM pg_class WHERE relnamespace = 'public'::regnamespace
       UNION ALL SELECT concat(attrelid::regclass, attname, atttypid, attnotnull, attacl) FROM pg_attribute
         WHERE attrelid IN (SELECT oid FROM pg_class WHERE relnamespace = 'public'::regnamespace)
       UNION ALL SELECT concat(pg_get_functiondef(oid), proacl) FROM pg_proc WHERE pronamespace = 'public'::regnamespace
       UNION ALL SELECT concat(tgrelid::regclass, tgname, tgenabled) FROM pg_trigger
       UNION ALL SELECT concat(rolname, rolsuper, rolcanlogin) FROM pg_roles
       UNION ALL SELECT concat(setdatabase, setrole, setconfig) FROM pg_db_role_setting
       UNION ALL SELECT concat(conrelid::regclass, conname) FROM pg_constraint
       UNION ALL SELECT concat(nspname, nspacl) FROM pg_namespace
     ) AS definitions (definition)`,
  )
  return rows[0]?.digest ?? ''
}
