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
  for (const pattern of ['prisma/migrations/*/*.sql', 'src/domain/seed/*.ts'])
    for (const path of globSync(pattern, { cwd: root }).sort()) hash.update(readFileSync(join(root, path)))
  return `${mark} ${hash.digest('hex')}`
}

/** Builds Rookery, as its package says. */
export function buildRookery(): void {
  execFileSync('npm', ['run', '--silent', 'build'], { cwd: root, stdio: 'inherit' })
}

async function runSeed(url: string, network: Network): Promise<void> {
  const sizes = Object.entries(network).flatMap(([name, value]) => [`--${name}`, String(value)])
  const env = { ...process.env, DATABASE_URL: url }
  const child = spawn(process.execPath, [join(root, 'dist/cli/main.js'), 'seed', ...sizes], { env, stdio: 'inherit' })
  const code = await new Promise<number | null>((resolve, reject) => child.on('error', reject).on('exit', resolve))
  if (code !== 0) throw new Error('Seeding failed.')
}

/** The URL of the benchmark's own database, which is created and seeded unless it already holds just these data. */
export async function createDatabase({ databaseUrl, database, network }: Options): Promise<string> {
  const url = new URL(databaseUrl)
  url.pathname = `/${database}`
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    const { rows } = await client.query<{ comment: string | null }>(
      `select shobj_description(oid, 'pg_database') as comment from pg_database where datname = $1`,
      [database],
    )
    const wanted = fingerprint(network)
    const [found] = rows
    if (found?.comment === wanted) return url.href
    if (found && !found.comment?.startsWith(mark))
      throw new Error(`The database ${database} is not the benchmark's: choose another name with --database.`)
    process.stdout.write(`Seeding ${database}…\n`)
    await client.query(`drop database if exists ${database}`)
    await client.query(`create database ${database}`)
    await client.query(`comment on database ${database} is '${mark}, unfinished'`)
    await runSeed(url.href, network)
    await client.query(`comment on database ${database} is '${wanted}'`)
    return url.href
  } finally {
    await client.end()
  }
}
