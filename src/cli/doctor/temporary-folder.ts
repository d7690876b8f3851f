import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const signals = ['SIGINT', 'SIGTERM'] as const

/** Runs an action with a temporary folder, and removes the folder afterwards, even when a signal ends the process. */
export async function withTemporaryFolder<T>(action: (folder: string) => Promise<T>): Promise<T> {
  let folder: string | undefined
  const remove = () => {
    for (const name of signals) process.removeListener(name, end)
    // A copy may still be creating files in it, so one attempt may not be enough.
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
  const end = (signal: NodeJS.Signals) => {
    remove()
    process.kill(process.pid, signal)
  }
  // Register first, so that a signal never leaves the folder behind.
  for (const name of signals) process.on(name, end)
  try {
    folder = mkdtempSync(join(tmpdir(), 'rookery-'))
    return await action(folder)
  } finally {
    remove()
  }
}
