import type { Config } from '../config.ts'
import type { Database } from '../data/database.ts'
import { removeOldChanges } from '../domain/changes.ts'
import { removeErasedEdges } from '../domain/erasure.ts'
import { removeOldResults } from '../domain/idempotency.ts'
import { removeOldNotifications, takeBackAfterBlocks } from '../domain/notifications.ts'
import { removeOldReports } from '../domain/reports.ts'
import type { Log } from '../log.ts'

/** The time between the end of one clean-up and the next, in milliseconds. */
const interval = 60_000

/** Regularly removes what is no longer kept, in short transactions. Returns what stops it. */
export function startCleanUp(
  database: Database,
  { changesKept, reportsKept, notificationsKept }: Pick<Config, 'changesKept' | 'reportsKept' | 'notificationsKept'>,
  log: Log,
): () => void {
  let timer = setTimeout(run, interval).unref()
  let isStopped = false

  async function run(): Promise<void> {
    try {
      await removeOldResults(database)
      await removeOldChanges(database, changesKept)
      await removeOldReports(database, reportsKept)
      await takeBackAfterBlocks(database)
      await removeOldNotifications(database, notificationsKept)
      await removeErasedEdges(database)
    } catch (err) {
      if (!isStopped) log.warn({ err }, 'old rows could not be removed')
    }
    if (!isStopped) timer = setTimeout(run, interval).unref()
  }

  return () => {
    isStopped = true
    clearTimeout(timer)
  }
}
