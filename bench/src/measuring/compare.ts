import { writeFile } from 'node:fs/promises'
import type pg from 'pg'
import { type Findings, report } from '../report/report.ts'
import { peakMemory } from '../servers/server.ts'
import { checkAll } from './check.ts'
import { type Measurements, measureAll } from './measure.ts'

/** What is compared, and what the report says about it. */
export type Comparison = Omit<Findings, 'levels' | 'memory'> & {
  /**
   * The database of all servers; undefined if each has its own. Then works find what they left behind, and processor time is not
   * measured.
   */
  readonly db: pg.Client | undefined
}

/** Checks that all servers answer alike, measures them at each number of connections, and writes the report. */
export async function compare(comparison: Comparison): Promise<void> {
  const { running, works, db, options } = comparison
  await checkAll(running, works, db)
  if (options.checkOnly) return
  const levels = new Map<number, Measurements>()
  for (const connections of works.length > 0 ? options.connections : []) {
    process.stdout.write(`${connections} connections\n`)
    levels.set(connections, await measureAll(running, works, db, connections, options))
  }
  const memory = new Map<string, number | undefined>()
  for (const { server, pid } of running) memory.set(server.name, await peakMemory(pid))
  await writeFile(options.out, report({ ...comparison, levels, memory }))
  process.stdout.write(`Written to ${options.out}\n`)
}
