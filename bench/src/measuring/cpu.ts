import { readFile } from 'node:fs/promises'
import type pg from 'pg'

/** What Linux counts the time of processes in, a second. */
const ticksPerSecond = 100

/** The time that a process has spent, in milliseconds, or undefined when it is not on this machine. */
async function cpuOf(pid: number): Promise<number | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
  // The name before the last parenthesis may have spaces.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ')
  const ticks = fields && Number(fields[11]) + Number(fields[12])
  return ticks === undefined ? undefined : (ticks * 1000) / ticksPerSecond
}

/** Processor time of the server's process and of all backends of the database, in milliseconds. */
export type CpuTimes = { readonly server: number; readonly backends: ReadonlyMap<number, number> }

/** Reads the clocks; undefined where there are none to read, as when PostgreSQL runs elsewhere. */
export async function cpuTimes(db: pg.Client, pid: number): Promise<CpuTimes | undefined> {
  const { rows } = await db.query<{ pid: number }>(
    `select pid from pg_stat_activity
     where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()`,
  )
  const server = await cpuOf(pid)
  const backends = new Map<number, number>()
  for (const { pid } of rows) {
    const time = await cpuOf(pid)
    if (time === undefined) return undefined
    backends.set(pid, time)
  }
  return server === undefined ? undefined : { server, backends }
}

/** What was spent between two readings, by the server and by PostgreSQL. */
export function spent(before: CpuTimes, after: CpuTimes): { readonly server: number; readonly postgres: number } {
  let postgres = 0
  for (const [pid, time] of after.backends) postgres += time - (before.backends.get(pid) ?? 0)
  return { server: after.server - before.server, postgres }
}
