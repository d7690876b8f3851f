import { readFile, writeFile } from 'node:fs/promises'
import type pg from 'pg'
import type { Findings } from './connections/findings.ts'
import { goalTable } from './connections/goals.ts'
import { report } from './connections/report.ts'
import { onDatabase } from './database/on-database.ts'
import { takeSample } from './database/sample.ts'
import { checkAll } from './measuring/check.ts'
import { type Measurements, measureAll } from './measuring/measure.ts'
import { isAskedFor, type Options, readOptions } from './options.ts'
import { machine } from './report/machine.ts'
import { findRuntimes, newestOf } from './runtimes.ts'
import { environment } from './servers/environment.ts'
import { memoryNow, peakMemory, type Running, startAll } from './servers/server.ts'
import { comparedServers } from './servers/servers.ts'
import { hotWorks, skewedWorks } from './works/skewed.ts'
import { worksOn } from './works/works.ts'

const compared = ['home', 'post', 'post-rest', 'like', 'like-rest', 'send', 'send-rest']
/** What is measured besides likes of a single post, and the number of clients: as when it was first measured. */
const spread = ['like', 'like-rest']
const hotClients = 50

async function memoryOf(running: readonly Running[], read: (pid: number) => Promise<number | undefined>) {
  const memory = new Map<string, number | undefined>()
  for (const { server, pid } of running) memory.set(server.name, await read(pid))
  return memory
}

async function measure(url: string, db: pg.Client, options: Options): Promise<void> {
  await db.query(await readFile(new URL('database/functions.sql', import.meta.url), 'utf8'))
  const sample = await takeSample(db, options.network)
  const isAsked = ({ name }: { readonly name: string }) => isAskedFor(name, options.works)
  const standard = worksOn(sample, new Map()).filter(({ name }) => compared.includes(name))
  const works = [...standard, ...skewedWorks(sample)].filter(isAsked)
  const likes = standard.filter(({ name }) => spread.includes(name))
  const hot = [...likes, ...hotWorks(sample, hotClients)].filter(isAsked)
  const runtime = newestOf(findRuntimes(process.env))
  const servers = comparedServers(runtime).filter(({ name }) => isAskedFor(name, options.servers))
  const all = [...new Set([...works, ...hot])]
  const env = environment(url, all, options.pool)

  const statements = await checkAll(servers, all, db, env)
  if (options.checkOnly) return
  const running = await startAll(servers, env)
  try {
    const ready = await memoryOf(running, memoryNow)
    const levels = new Map<number, Measurements>()
    for (const connections of options.levels) {
      process.stdout.write(`${connections} connections\n`)
      levels.set(connections, await measureAll(running, works, db, { ...options, connections }))
    }
    process.stdout.write(`One post and many, ${hotClients} connections\n`)
    const findings: Findings = {
      ...{ options, servers, works, hot, hotClients, levels, statements, ready },
      hotMeasurements: await measureAll(running, hot, db, { ...options, connections: hotClients }),
      peak: await memoryOf(running, peakMemory),
      machine: await machine(db, [runtime]),
    }
    await writeFile(options.out, report(findings))
    process.stdout.write(`${goalTable(findings).join('\n')}\nWritten to ${options.out}\n`)
  } finally {
    await Promise.all(running.map((server) => server.stop()))
  }
}

await onDatabase(readOptions(process.argv.slice(2), process.env, { out: 'CONNECTIONS.md', rounds: '3' }), measure)
