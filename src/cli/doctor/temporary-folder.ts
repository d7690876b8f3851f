import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const signals = ['SIGINT', 'SIGTERM'] as const

/** Does something with a temporary folder, which goes afterwards, and where a signal ends the process. */
export async function withTemporaryFolder<T>(action: (folder: string) => Promise<T>): Promise<T> {
  let folder: string | undefined
  const remove = () => {
    for (const name of signals) process.removeListener(name, end)
    // A file may still be on its way into it, so once may not be enough.
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
  const end = (signal: NodeJS.Signals) => {
    remove()
    process.kill(process.pid, signal)
  }
  // Listening comes first: no signal finds a folder that nothing removes.
  for (const name of signals) process.on(name, end)
  try {
    folder = mkdtempSync(join(tmpdir(), 'rookery-'))
    return await action(folder)
  } finally {
    remove()
  }
}
