import { execFileSync, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type pg from 'pg'
import type { Network, Options } from '../options.ts'
import { addReaders } from './readers.ts'
import { withClient } from './with-client.ts'

/** The folder of Rookery's own package. */
export const root = fileURLToPath(new URL('../../..', import.meta.url))

const mark = 'Rookery benchmark'

/** What the data depend on: the sizes, the migrations and the code that makes them up. */
function fingerprintOf(network: Network): string {
  const hash = createHash('sha256').update(JSON.stringify(network))
  for (const pattern of [
    'prisma/migrations/*/*.sql',
    'src/features/demo/*.ts',
    'prisma/seed/*',
    'bench/src/database/readers.ts',
  ])
    for (const path of globSync(pattern, { cwd: root }).sort()) hash.update(readFileSync(join(root, path)))
  return `${mark} ${hash.digest('hex')}`
}

/** Builds Rookery, as its package says. */
export function buildRookery(): void {
  execFileSync('npm', ['run', '--silent', 'build'], { cwd: root, stdio: 'inherit' })
}

/** Runs a command of Rookery with some variables changed. */
export async function runCommand(args: readonly string[], changed: Readonly<Record<string, string>>): Promise<void> {
  const env = { ...process.env, ...changed }
  const child = spawn(process.execPath, [join(root, 'dist/cli/main.js'), ...args], { env, stdio: 'inherit' })
  const code = await new Promise<number | null>((resolve, reject) => child.on('error', reject).on('exit', resolve))
  if (code !== 0) throw new Error(`rookery ${args[0]} failed.`)
}

/** The command that makes a network of these sizes. */
export function seedCommand(network: Network): string[] {
  return ['seed', ...Object.entries(network).flatMap(([name, value]) => [`--${name}`, String(value)])]
}

async function commentOf(client: pg.Client, database: string): Promise<string | null | undefined> {
  const { rows } = await client.query<{ comment: string | null }>(
    `select shobj_description(oid, 'pg_database') as comment from pg_database where datname = $1`,
    [database],
  )
  return rows[0]?.comment
}

/** The URL of the benchmark's own database. */
export function urlOf({ databaseUrl, database }: Options): string {
  const url = new URL(databaseUrl)
  url.pathname = `/${database}`
  return url.href
}

/**
 * Makes the benchmark's own database in place of the one before, and returns its URL. One that was made with the same fingerprint is
 * kept.
 */
export function makeDatabase(
  options: Options,
  fill: (url: string) => Promise<void>,
  fingerprint?: string,
): Promise<string> {
  const { databaseUrl, database } = options
  const url = urlOf(options)
  return withClient({ connectionString: databaseUrl }, async (client) => {
    const comment = await commentOf(client, database)
    if (comment !== undefined && comment === fingerprint) return url
    if (comment !== undefined && !comment?.startsWith(mark))
      throw new Error(`The database ${database} is not the benchmark's: choose another name with --database.`)
    process.stdout.write(`Making ${database}…\n`)
    await client.query(`drop database if exists ${database}`)
    await client.query(`create database ${database}`)
    await client.query(`comment on database ${database} is '${mark}, unfinished'`)
    await fill(url)
    if (fingerprint) await client.query(`comment on database ${database} is '${fingerprint}'`)
    return url
  })
}

/** The URL of the benchmark's own database, which is created and filled unless it already holds just these data. */
export function createDatabase(options: Options): Promise<string> {
  const fill = async (url: string) => {
    await runCommand(seedCommand(options.network), { DATABASE_URL: url })
    await withClient({ connectionString: url }, addReaders)
  }
  return makeDatabase(options, fill, fingerprintOf(options.network))
}
