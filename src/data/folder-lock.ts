import { randomUUID } from 'node:crypto'
import { link, readFile, rename, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseError } from './database-error.ts'

type Holder = { readonly pid: number; readonly started: string; readonly id: string }

/**
 * Takes the lock of a folder for this process and returns what releases it. A lock whose process has ended is taken
 * over. Throws a `DatabaseError` that names the process where a living one has it. Processes are told apart by their
 * number and, where `/proc` has it, the time of their start, so all of them have to run in one PID namespace.
 */
export async function lockFolder(folder: string): Promise<() => Promise<void>> {
  const path = join(folder, 'lock')
  const other = await acquire(path)
  if (other !== undefined) {
    throw new DatabaseError(`DATA_DIR: ${folder} is in use by process ${other.pid}.`, {
      advice: 'Stop that process, or set DATA_DIR to another folder.',
    })
  }
  return () => unlink(path)
}

/** The number of the living process that has the lock of a folder. It changes nothing. */
export async function processWithLock(folder: string): Promise<number | undefined> {
  const holder = await readHolder(join(folder, 'lock'))
  return holder !== undefined && (await isAlive(holder)) ? holder.pid : undefined
}

/** Makes the lock file, or returns the living process that has it. */
async function acquire(path: string): Promise<Holder | undefined> {
  const mine = `${path}.${randomUUID()}`
  await writeFile(mine, `${process.pid} ${await startOf(process.pid)} ${randomUUID()}\n`, { mode: 0o600, flush: true })
  try {
    for (;;) {
      if (await linked(mine, path)) return undefined
      const holder = await readHolder(path)
      if (holder === undefined) continue
      if (await isAlive(holder)) return holder
      // Only who has the lock on the dead holder's own id may replace its file, so two cannot both take it over.
      const claim = `${path}.after-${holder.id}`
      const rival = await acquire(claim)
      if (rival !== undefined) return rival
      try {
        if ((await readHolder(path))?.id === holder.id) {
          await rename(mine, path)
          return undefined
        }
      } finally {
        await unlink(claim)
      }
    }
  } finally {
    await unlink(mine).catch(() => undefined)
  }
}

async function linked(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to)
    return true
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false
    throw error
  }
}

async function readHolder(path: string): Promise<Holder | undefined> {
  try {
    const [pid, started, id] = (await readFile(path, 'utf8')).trim().split(' ')
    if (Number(pid) > 0 && started !== undefined && id !== undefined) return { pid: Number(pid), started, id }
    throw new Error(`${path} is not a lock; remove it if no process uses the folder`)
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined
    throw error
  }
}

async function isAlive({ pid, started }: Holder): Promise<boolean> {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if (hasCode(error, 'ESRCH')) return false
  }
  const now = await startOf(pid)
  return now === started || now === '-' || started === '-'
}

/** When a process started, in clock ticks since the machine did (proc(5), field 22); `-` where that is not known. */
async function startOf(pid: number): Promise<string> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '-'
  } catch {
    return '-'
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
