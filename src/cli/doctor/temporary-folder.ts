import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const signals = ['SIGINT', 'SIGTERM'] as const

/** How often the removal of a folder is attempted. */
const attempts = 5

/**
 * Removes a folder in which a copy may still be creating files. Retries itself, because `rmSync` does not remove files that appear after it
 * has listed a folder.
 */
function removeFolder(folder: string): void {
  for (let left = attempts - 1; left >= 0; left -= 1) {
    try {
      rmSync(folder, { recursive: true, force: true, maxRetries: 1 })
      return
    } catch (error) {
      if (left === 0) throw error
    }
  }
}

/** Runs an action with a temporary folder, and removes the folder afterwards, even when a signal ends the process. */
export async function withTemporaryFolder<T>(action: (folder: string) => Promise<T>): Promise<T> {
  let folder: string | undefined
  const remove = () => {
    for (const name of signals) process.removeListener(name, end)
    if (folder !== undefined) removeFolder(folder)
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
