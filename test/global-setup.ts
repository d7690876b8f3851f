import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { openDatabase } from '../src/engine/data/database.ts'
import { clusterIn } from '../src/engine/data/embedded/folder.ts'
import { migrate } from '../src/engine/data/migrate.ts'
import { migrationsFolder, readMigrations } from '../src/engine/data/migration-files.ts'
import { createLog } from '../src/engine/log.ts'

/** Where a migrated database is copied from: the files of an embedded one, or a database of a server. */
type TestTemplate =
  | { readonly kind: 'embedded'; readonly cluster: string }
  | { readonly kind: 'server'; readonly url: string; readonly prefix: string; readonly template: string }

declare module 'vitest' {
  interface ProvidedContext {
    testTemplate: TestTemplate
    sampleSeed: number | 'all'
  }
}

/** Migrates a database that `openTestDatabase` copies, on PostgreSQL if `DATABASE_URL` is set; returns what removes it. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  project.provide('sampleSeed', sampleSeed())
  const url = process.env.DATABASE_URL
  if (url !== undefined) return setupServer(project, url)
  console.warn('DATABASE_URL is not set: the tests run on PGlite, and those that need a PostgreSQL server are skipped.')
  return setupEmbedded(project)
}

/** What the selections of `sample` follow from: the day, unless `SAMPLE` is set. */
function sampleSeed(): number | 'all' {
  const { SAMPLE = new Date().toISOString().slice(0, 10).replaceAll('-', '') } = process.env
  if (SAMPLE === 'all') return SAMPLE
  console.warn(
    `Some tests run a sample of their cases. SAMPLE=${SAMPLE} selects the same ones again, SAMPLE=all runs all.`,
  )
  return Number(SAMPLE)
}

async function setupEmbedded(project: TestProject): Promise<() => Promise<void>> {
  const parent = await mkdtemp(join(tmpdir(), 'rookery-test-'))
  const folder = join(parent, 'template')
  const database = await openDatabase({ kind: 'embedded', folder, opener: 'command' }, createLog('silent'))
  await database.close()
  project.provide('testTemplate', { kind: 'embedded', cluster: clusterIn(folder) })
  return () => rm(parent, { recursive: true, force: true })
}

async function setupServer(project: TestProject, url: string): Promise<() => Promise<void>> {
  const prefix = `rookery_test_${randomBytes(6).toString('hex')}`
  const template = `${prefix}_template`
  const admin = new pg.Client({ connectionString: url })
  await admin.connect()
  await admin.query(`CREATE DATABASE ${template}`)
  const templateUrl = new URL(url)
  templateUrl.pathname = template
  const client = new pg.Client({ connectionString: templateUrl.href })
  await client.connect()
  await migrate(client, await readMigrations(migrationsFolder), createLog('silent'))
  await client.end()
  project.provide('testTemplate', { kind: 'server', url, prefix, template })
  return async () => {
    const { rows } = await admin.query<{ name: string }>(
      'SELECT datname AS name FROM pg_database WHERE starts_with(datname, $1)',
      [prefix],
    )
    for (const { name } of rows) await admin.query(`DROP DATABASE ${name} WITH (FORCE)`)
    await admin.end()
  }
}
