import { readFile, writeFile } from 'node:fs/promises'
import type pg from 'pg'
import { deepKeysOf } from './database/deep-keys.ts'
import { onDatabase } from './database/on-database.ts'
import { takeSample } from './database/sample.ts'
import { checkAll } from './measuring/check.ts'
import { measureAll } from './measuring/measure.ts'
import { measureStarts } from './measuring/starts.ts'
import { isAskedFor, type Options, readOptions } from './options.ts'
import { machine } from './report/machine.ts'
import { report } from './report/report.ts'
import { findRuntimes } from './runtimes.ts'
import { environment } from './servers/environment.ts'
import { peakMemory, type Running, startAll } from './servers/server.ts'
import { allServers } from './servers/servers.ts'
import { worksOn } from './works/works.ts'

async function measure(url: string, db: pg.Client, options: Options): Promise<void> {
  await db.query(await readFile(new URL('database/functions.sql', import.meta.url), 'utf8'))
  const sample = await takeSample(db, options.network)
  const works = worksOn(sample, await deepKeysOf(db, sample)).filter(({ name }) => isAskedFor(name, options.works))
  const runtimes = findRuntimes(process.env)
  const servers = allServers(runtimes, options.before).filter(({ name }) => isAskedFor(name, options.servers))
  const env = environment(url, works, options.pool)

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

async function memoryOf(running: readonly Running[]): Promise<Map<string, number>> {
  const memory = new Map<string, number>()
  for (const { server, pid } of running) {
    const peak = await peakMemory(pid)
    if (peak !== undefined) memory.set(server.name, peak)
  }
  return memory
}

await onDatabase(readOptions(process.argv.slice(2), process.env), measure)
