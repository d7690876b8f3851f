import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Creates an empty folder, and returns a function that removes it. */
export function createFolder(parent = tmpdir()): { folder: string; remove(): Promise<void> } {
  const folder = mkdtempSync(join(parent, 'rookery-test-'))
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) }
}
