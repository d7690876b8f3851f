import { readFile, writeFile } from 'node:fs/promises'
import type pg from 'pg'

/** Lets the system count the most memory that a process holds (see `peakMemory`) from now on. */
export async function resetPeakMemory(pid: number): Promise<void> {
  await writeFile(`/proc/${pid}/clear_refs`, '5').catch(() => undefined)
}

/** How often the processes of PostgreSQL are looked at, in milliseconds. */
const interval = 200

/** The most memory of their own that the processes of PostgreSQL held together which serve this database, in bytes. */
export class PostgresMemory {
  readonly #db: pg.Client
  #most = 0
  #over = false

  constructor(db: pg.Client) {
    this.#db = db
  }

  /** Looks again and again until the end. */
  async watch(): Promise<number> {
    while (!this.#over) {
      const { rows } = await this.#db.query<{ pid: number }>(
        'select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
      )
      const sizes = await Promise.all(rows.map(({ pid }) => ownMemory(pid)))
      this.#most = Math.max(
        this.#most,
        sizes.reduce((sum, size) => sum + size, 0),
      )
      await new Promise((resolve) => setTimeout(resolve, interval))
    }
    return this.#most
  }

  end(): void {
    this.#over = true
  }
}

async function ownMemory(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  return Number(/^RssAnon:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024
}
