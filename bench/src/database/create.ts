import { execFileSync, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import type { Network, Options } from '../options.ts'
import { root } from '../runtimes.ts'

const mark = 'Rookery benchmark'

/** What the data depend on: the sizes, the migrations and the code that makes them up. */
function fingerprint(network: Network): string {
  const hash = createHash('sha256').update(JSON.stringify(network))
  for (const pattern of ['prisma/migrations/*/*.sql', 'src/seed/*.ts'])
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

/** Drops a database, unless it is not the benchmark's. */
export async function dropDatabase(client: pg.Client, database: string): Promise<void> {
  const comment = await commentOf(client, database)
  if (comment === undefined) return
  if (!comment?.startsWith(mark))
    throw new Error(`The database ${database} is not the benchmark's: choose another name with --database.`)
  await client.query(`drop database ${database}`)
}

/** Makes a database, empty or like another one, in place of one that the benchmark made before. */
export async function remakeDatabase(client: pg.Client, database: string, like = 'template1'): Promise<void> {
  await dropDatabase(client, database)
  await client.query(`create database ${database} template ${like}`)
  await client.query(`comment on database ${database} is '${mark}, unfinished'`)
}

/** The URL of the benchmark's own database, which is created and seeded unless it already holds just these data. */
export async function createDatabase({ databaseUrl, database, network }: Options): Promise<string> {
  const url = new URL(databaseUrl)
  url.pathname = `/${database}`
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    const wanted = fingerprint(network)
    if ((await commentOf(client, database)) === wanted) return url.href
    process.stdout.write(`Seeding ${database}…\n`)
    await remakeDatabase(client, database)
    await runCommand(seedCommand(network), { DATABASE_URL: url.href })
    await client.query(`comment on database ${database} is '${wanted}'`)
    return url.href
  } finally {
    await client.end()
  }
}
