import { chmodSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { v7 as uuid } from 'uuid'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Database, openDatabase } from '../../../../src/engine/data/database.ts'
import { openEmbedded } from '../../../../src/engine/data/embedded/embedded-server.ts'
import { embeddedVersion, prebuiltCluster, prepareFolder } from '../../../../src/engine/data/embedded/folder.ts'
import { migrate } from '../../../../src/engine/data/migrate.ts'
import { migrationsFolder, readMigrations } from '../../../../src/engine/data/migration-files.ts'
import { createLog } from '../../../../src/engine/log.ts'
import { createFolder } from '../../../support/folder.ts'

const log = createLog('silent')
let folder: string
let remove: () => Promise<void>
const opened: Database[] = []
beforeEach(() => {
  const made = createFolder()
  folder = join(made.folder, 'data')
  remove = made.remove
})
afterEach(async () => {
  await Promise.all(opened.splice(0).map((database) => database.close()))
  await remove()
})

async function open(place = folder, opener: 'server' | 'command' = 'server'): Promise<Database> {
  const database = await openDatabase({ kind: 'embedded', folder: place, opener }, log)
  opened.push(database)
  return database
}

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)

/** Everything that migrations define: each column, index, check and function, and which migrations ran. */
const definitions = `
  SELECT table_name || '.' || column_name AS what, concat(data_type, is_nullable, column_default) AS definition
    FROM information_schema.columns WHERE table_schema = 'public'
  UNION ALL SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public'
  UNION ALL SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint WHERE connamespace = 'public'::regnamespace
  UNION ALL SELECT proname, pg_get_functiondef(oid) FROM pg_proc WHERE pronamespace = 'public'::regnamespace
  UNION ALL SELECT migration_name, checksum FROM _prisma_migrations
  ORDER BY 1, 2`

describe('an embedded database', { timeout: 120_000 }, () => {
  test('that starts from the prebuilt cluster is like one that was migrated, and has no timeouts, which PGlite would not survive', async () => {
    const migrations = await readMigrations(migrationsFolder)
    expect(prebuiltCluster(migrations)).toBeDefined()
    const options = { folder: `${folder}-migrated`, opener: 'server', prebuilt: undefined } as const
    const { connection, close } = await openEmbedded(options, log)
    const client = new pg.Client(connection)
    await client.connect()
    await client.query('SET search_path = public, pg_temp')
    await migrate(client, migrations, log)
    const expected = (await client.query(definitions)).rows
    await client.end()
    await close()
    expect(expected.length).toBeGreaterThan(100)
    const { runReserved } = await open()
    expect(await runReserved(definitions, [])).toEqual(expected)
    const names = ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout']
    const timeouts = names.map((name) => `current_setting('${name}')`).join(` || ' ' || `)
    expect(await runReserved(`SELECT ${timeouts} AS timeouts`, [])).toEqual([{ timeouts: '0 0 0' }])
  })

  test('is accessible to its user only, keeps its data after it is closed, and leaves no socket behind', async () => {
    const id = uuid()
    mkdirSync(folder)
    chmodSync(folder, 0o755)
    const first = await open()
    expect(first.kind).toBe('embedded')
    expect([modeOf(folder), modeOf(join(folder, '.s.PGSQL.5432'))]).toEqual(['700', '600'])
    await first.write.prisma.badge.create({ data: { id, name: 'kept' } })
    await first.close()
    await first.close()
    expect(await readdir(folder)).toEqual(['database'])

    const second = await open()
    expect(await second.write.prisma.badge.findMany()).toEqual([{ id, name: 'kept' }])
  })

  test('in a folder whose path is too long for a socket refuses a second server, and is shared with commands, which leave it running', async () => {
    const place = join(folder, 'long'.repeat(50))
    const server = await open(place)
    await expect(open(place)).rejects.toThrow(
      `DATA_DIR: ${place} is in use by process ${process.pid}. Stop that process, or set DATA_DIR to another folder.`,
    )
    const command = await open(place, 'command')
    await command.write.prisma.badge.create({ data: { id: uuid(), name: 'shared' } })
    await command.close()
    expect(await server.write.prisma.badge.count()).toBe(1)
  })

  test('makes one command wait for another', async () => {
    const first = await open(folder, 'command')
    const second = open(folder, 'command')
    await first.write.prisma.badge.create({ data: { id: uuid(), name: 'first' } })
    await first.close()
    expect(await (await second).write.prisma.badge.count()).toBe(1)
  })

  test('keeps the permissions of a folder that contains other files', async () => {
    mkdirSync(folder)
    writeFileSync(join(folder, 'notes.txt'), '')
    chmodSync(folder, 0o755)
    await prepareFolder(folder)
    expect(modeOf(folder)).toBe('755')
  })

  test('refuses an invalid folder and one that contains something else', async () => {
    await writeFile(folder, '')
    await expect(open()).rejects.toThrow(new RegExp(`^DATA_DIR: cannot use ${folder}: `))
    await rm(folder)
    await mkdir(join(folder, 'database'), { recursive: true })
    await writeFile(join(folder, 'database', 'PG_VERSION'), '9')
    const message = `^DATA_DIR: ${folder} is of PostgreSQL 9, and this Rookery embeds ${embeddedVersion}\\. `
    await expect(open()).rejects.toThrow(new RegExp(message))
    expect(await readdir(folder)).toEqual(['database'])
  })

  test('is created again after an interrupted creation, but never replaced if files are missing', async () => {
    await mkdir(join(folder, 'database.new'), { recursive: true })
    await writeFile(join(folder, 'database.new', 'PG_VERSION'), '1')
    await (await open()).close()
    expect(await readdir(folder)).toEqual(['database'])
    await rm(join(folder, 'database', 'PG_VERSION'))
    const left = await readdir(join(folder, 'database'))
    for (const opener of ['server', 'command'] as const)
      await expect(open(folder, opener)).rejects.toThrow(`${join(folder, 'database')} is not a complete database`)
    expect(await readdir(join(folder, 'database'))).toEqual(left)
  })
})
