import { readFile, writeFile } from 'node:fs/promises'
import pg from 'pg'
import { buildRookery, createDatabase } from './database/create.ts'
import { deepKeysOf } from './database/deep-keys.ts'
import { takeSample } from './database/sample.ts'
import { checkAll } from './measuring/check.ts'
import { measureAll } from './measuring/measure.ts'
import { measureStarts } from './measuring/starts.ts'
import { isAskedFor, type Options, readOptions } from './options.ts'
import { machine } from './report/machine.ts'
import { report } from './report/report.ts'
import { findRuntimes } from './runtimes.ts'
import { peakMemory, type Running, type Server, start } from './servers/server.ts'
import { allServers } from './servers/servers.ts'
import type { Work } from './works/work.ts'
import { worksOn } from './works/works.ts'

async function measure(url: string, db: pg.Client, options: Options): Promise<void> {
  await db.query(await readFile(new URL('database/functions.sql', import.meta.url), 'utf8'))
  const sample = await takeSample(db, options.network)
  const works = worksOn(sample, await deepKeysOf(db, sample)).filter(({ name }) => isAskedFor(name, options.works))
  const runtimes = findRuntimes(process.env)
  const servers = allServers(runtimes, options.before).filter(({ name }) => isAskedFor(name, options.servers))
  const env = environment(url, works, options)

  const statements = await checkAll(servers, works, db, env)
  if (options.checkOnly) return
  const starts = isAskedFor('start', options.works) ? await measureStarts(servers) : []
  const running = await startAll(servers, env)
  try {
    const measurements = await measureAll(running, works, db, options)
    const findings = {
      ...{ options, servers, works, statements, measurements, starts },
      machine: await machine(db, runtimes),
      memory: await memoryOf(running),
    }
    await writeFile(options.out, report(findings))
    process.stdout.write(`Written to ${options.out}\n`)
  } finally {
    await Promise.all(running.map((server) => server.stop()))
  }
}

function environment(url: string, works: readonly Work[], { pool }: Options) {
  const statements = Object.fromEntries(works.map(({ name, floor }) => [name, floor.sql]))
  return {
    DATABASE_URL: url,
    DATABASE_POOL: String(pool),
    FLOOR_STATEMENTS: JSON.stringify(statements),
    LOG_LEVEL: 'info',
    RATE_LIMIT: 'off',
  }
}

async function startAll(servers: readonly Server[], env: Readonly<Record<string, string>>): Promise<Running[]> {
  const running: Running[] = []
  try {
    for (const server of servers) running.push(await start(server, env))
    return running
  } catch (error) {
    await Promise.all(running.map((server) => server.stop()))
    throw error
  }
}

async function memoryOf(running: readonly Running[]): Promise<Map<string, number>> {
  const memory = new Map<string, number>()
  for (const { server, pid } of running) {
    const peak = await peakMemory(pid)
    if (peak !== undefined) memory.set(server.name, peak)
  }
  return memory
}

// Leaving by `exit` ends the servers too.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1))
const options = readOptions(process.argv.slice(2), process.env)
if (!options.skipBuild) buildRookery()
const url = await createDatabase(options)
const db = new pg.Client({ connectionString: url })
await db.connect()
try {
  await measure(url, db, options)
} finally {
  await db.end()
}
