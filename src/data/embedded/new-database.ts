import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type pg from 'pg'
import type { Log } from '../../log.ts'
import { openEmbeddedBackend } from './embedded-backend.ts'

/** Runs an action on a connection to a temporary, empty embedded database. `finish` receives its folder after it is closed. */
export async function withNewDatabase<T>(
  log: Log,
  work: (client: pg.ClientBase) => Promise<T>,
  finish?: (folder: string) => Promise<void>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'rookery-new-'))
  try {
    const { backend } = await openEmbeddedBackend({ folder, opener: 'server', prebuilt: undefined }, log)
    const result = await backend.onOwnConnection(work).finally(() => backend.close())
    await finish?.(folder)
    return result
  } finally {
    await rm(folder, { recursive: true })
  }
}
