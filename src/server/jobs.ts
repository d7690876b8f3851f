import { setTimeout as sleep } from 'node:timers/promises'
import { type Config, ConfigError } from '../config.ts'
import type { Database } from '../data/database.ts'
import { eraseInPart } from '../domain/account-deletion.ts'
import { removeOldChanges } from '../domain/changes.ts'
import { removeErasedEdges } from '../domain/erasure.ts'
import { removeOldResults } from '../domain/idempotency.ts'
import {
  addRegularJobs,
  type JobKind,
  jobKinds,
  type Payload,
  payloads,
  removeJob,
  repeatJob,
  retryJob,
  type TakenJob,
  takeJob,
} from '../domain/jobs.ts'
import { type Mailing, sendMail } from '../domain/mails.ts'
import { removeOldNotifications, takeBackAfterBlocks, takeBackNotifications } from '../domain/notifications.ts'
import { removeOldUsernames } from '../domain/rename.ts'
import { removeOldReports } from '../domain/reports.ts'
import type { Log } from '../log.ts'

/** How often a process looks for jobs, in milliseconds. */
const interval = 1_000

/** How long it waits when the database does not answer, in milliseconds. */
const failurePause = 30_000

/** How long a stopping process waits for the jobs that it works on, in milliseconds. Then another process takes them once their leases end. */
const stopTimeout = 5_000

/** The time between two clean-ups, in seconds. */
const cleanUpInterval = 60

/** How many jobs a process works on at once: one of each kind, so that none waits for what another kind waits for. */
const atOnce = 4

/** A job that comes back after this many seconds instead of being done. */
type Again = { readonly again: number }

/** Does the jobs of each kind. One that throws is tried again later. */
export type Handlers = { readonly [K in JobKind]: (payload: Payload<K>, job: TakenJob) => Promise<Again | undefined> }

/** What this version does for each kind. */
export function handlersOf(database: Database, config: Config, log: Log, mailing?: Mailing): Handlers {
  const { changesKept, reportsKept, notificationsKept } = config
  const regularly = (work: () => Promise<void>) => async () => {
    await work()
    return { again: cleanUpInterval }
  }
  return {
    'remove-old-results': regularly(() => removeOldResults(database)),
    'remove-old-changes': regularly(() => removeOldChanges(database, changesKept)),
    'remove-old-reports': regularly(() => removeOldReports(database, reportsKept)),
    'remove-old-notifications': regularly(() => removeOldNotifications(database, notificationsKept)),
    'remove-old-usernames': regularly(() => removeOldUsernames(database)),
    'take-back-after-blocks': regularly(() => takeBackAfterBlocks(database)),
    'remove-erased-edges': regularly(() => removeErasedEdges(database)),
    'take-back-notifications': async ({ userId }) => {
      await takeBackNotifications(database, userId, null)
      return undefined
    },
    'delete-account': async ({ userId }) => {
      const again = await eraseInPart(database, userId)
      return again === undefined ? undefined : { again }
    },
    'send-mail': async (payload) => {
      if (!mailing) throw new ConfigError('SMTP_URL is not set.')
      await sendMail(database, mailing, payload, log)
      return undefined
    },
  }
}

/** Works on the jobs of a database, beside other processes. Returns what stops it. */
export function startJobs(
  database: Database,
  handlers: Handlers,
  log: Log,
  every: number = interval,
): () => Promise<void> {
  const running = new Map<JobKind, Promise<void>>()
  let isStopped = false
  let isLooking = false
  let hasRegular = false
  let timer = setTimeout(look).unref()

  function handle<K extends JobKind>(kind: K, job: TakenJob): Promise<Again | undefined> {
    return handlers[kind](payloads[kind].parse(job.payload), job)
  }

  async function work(job: TakenJob): Promise<void> {
    try {
      const result = await handle(job.kind, job)
      await (result ? repeatJob(database, job, result.again) : removeJob(database, job))
    } catch (err) {
      if (isStopped) return
      log.warn({ err, job: job.kind, attempts: job.attempts }, 'a job failed')
      await retryJob(database, job, err).catch(() => undefined)
    } finally {
      running.delete(job.kind)
      look()
    }
  }

  async function look(): Promise<void> {
    if (isStopped || isLooking) return
    isLooking = true
    clearTimeout(timer)
    let pause = every
    try {
      if (!hasRegular) await addRegularJobs(database)
      hasRegular = true
      while (running.size < atOnce && !isStopped) {
        const job = await takeJob(
          database,
          jobKinds.filter((kind) => !running.has(kind)),
        )
        if (!job) break
        running.set(job.kind, work(job))
      }
    } catch (err) {
      if (!isStopped) log.warn({ err }, 'jobs could not be taken')
      pause = failurePause
    }
    isLooking = false
    if (!isStopped) timer = setTimeout(look, pause).unref()
  }

  return async () => {
    isStopped = true
    clearTimeout(timer)
    await Promise.race([Promise.all(running.values()), sleep(stopTimeout, undefined, { ref: false })])
  }
}
