import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '../config.ts'
import type { Database } from '../data/database.ts'
import { continueAccountDeletion } from '../domain/account-deletion.ts'
import { removeExpiredAuthorizations } from '../domain/authorizations.ts'
import { removeOldChanges } from '../domain/changes.ts'
import { removeOldResults } from '../domain/idempotency.ts'
import {
  addCleanUp,
  type JobKind,
  jobKinds,
  mailKinds,
  type Payload,
  payloads,
  removeJob,
  repeatJob,
  retryJob,
  type TakenJob,
  takeJob,
} from '../domain/jobs.ts'
import { removeRelationsOfDeleted } from '../domain/publication-deletion.ts'
import { removeFormerUsernames } from '../domain/rename.ts'
import { removeOldReports } from '../domain/reports.ts'
import type { Log } from '../log.ts'
import { addResets } from '../mail/jobs.ts'
import { removeExpiredLinks } from '../mail/links.ts'
import { type Mailing, sendMail } from '../mail/send.ts'

/** How often a process looks for jobs, in milliseconds. */
const interval = 1_000

/** How long it waits when the database does not answer, in milliseconds. */
const failurePause = 30_000

/** How long a stopping process waits for its jobs, in milliseconds. Another process takes the rest once their leases end. */
const stopTimeout = 5_000

/** The time between two clean-ups, in seconds. */
const cleanUpInterval = 60

/**
 * How many e-mails of each kind a process sends at once, and how many of them to one domain, so that a mail server that hangs delays neither
 * others nor resets.
 */
export const mailsAtOnce = { ofKind: 4, toDomain: 2 } as const

/** How many other jobs it works on at once, at most one of each kind, so that a kind that hangs does not delay the others. */
const othersAtOnce = 4

/** All kinds, most urgent first. */
const byUrgency = [
  ...mailKinds.map((kind) => [kind]),
  jobKinds.filter((kind) => !mailKinds.includes(kind)),
] as const satisfies readonly (readonly JobKind[])[]

/**
 * What does the jobs of each kind, and returns after how many seconds a job repeats; undefined if it is done. One that throws is retried; kinds
 * without a handler are left to other processes.
 */
export type Handlers = {
  readonly [K in JobKind]?: ((payload: Payload<K>, job: TakenJob) => Promise<number | undefined>) | undefined
}

/** The handlers of this version: without a mail server, none for e-mails. */
export function handlersOf(database: Database, config: Config, log: Log, mailing?: Mailing): Handlers {
  // One that fails does not keep the others from their work.
  const cleanUps = [
    () => removeOldResults(database),
    () => removeOldChanges(database, config.changesKept),
    () => removeOldReports(database, config.reportsKept),
    () => removeFormerUsernames(database),
    () => removeExpiredLinks(database),
    () => removeExpiredAuthorizations(database),
    () => removeRelationsOfDeleted(database),
  ]
  const send = mailing && ((payload: Payload<'send-mail'>) => sendMail(database, mailing, payload, log))
  return {
    'clean-up': async () => {
      const failures: unknown[] = []
      for (const cleanUp of cleanUps) await cleanUp().catch((error: unknown) => failures.push(error))
      if (failures.length > 0) throw failures[0]
      return cleanUpInterval
    },
    'delete-account': ({ userId }) => continueAccountDeletion(database, userId),
    'find-accounts-to-reset': async ({ address }) => {
      await addResets(database, address)
      return undefined
    },
    'send-reset': send,
    'send-mail': send,
  }
}

const isMail = (kind: JobKind) => mailKinds.includes(kind)

/** Of which kinds a process that works on these jobs can take another one, and the domains that get as many e-mails as they may. */
function placesBeside(running: readonly TakenJob[], handlers: Handlers) {
  const ofKind = (kind: JobKind) => running.filter((job) => job.kind === kind).length
  const others = running.filter(({ kind }) => !isMail(kind)).length
  const toDomain = (domain: string) => running.filter((job) => job.domain === domain).length
  const hasPlace = (kind: JobKind) =>
    isMail(kind) ? ofKind(kind) < mailsAtOnce.ofKind : ofKind(kind) === 0 && others < othersAtOnce
  return {
    free: byUrgency.map((kinds) => kinds.filter((kind) => handlers[kind] && hasPlace(kind))),
    busy: running.flatMap(({ domain }) => (domain !== null && toDomain(domain) >= mailsAtOnce.toDomain ? domain : [])),
  }
}

/** Works on the jobs of a database, as other processes do too. Returns a function that stops it. */
export function startJobs(
  database: Database,
  handlers: Handlers,
  log: Log,
  every: number = interval,
): () => Promise<void> {
  const running = new Map<TakenJob, Promise<void>>()
  let isStopped = false
  let isLooking = false
  let endedMeanwhile = false
  let cleansUp = false
  let timer = setTimeout(look).unref()

  async function handle<K extends JobKind>(kind: K, job: TakenJob): Promise<number | undefined> {
    return handlers[kind]?.(payloads[kind].parse(job.payload), job)
  }

  async function work(job: TakenJob): Promise<void> {
    try {
      const seconds = await handle(job.kind, job)
      await (seconds === undefined ? removeJob(database, job) : repeatJob(database, job, seconds))
    } catch (err) {
      if (isStopped) return
      log.warn({ err, job: job.kind, attempts: job.attempts }, 'a job failed')
      await retryJob(database, job, err).catch(() => undefined)
    } finally {
      running.delete(job)
      endedMeanwhile = true
      look()
    }
  }

  async function look(): Promise<void> {
    if (isStopped || isLooking) return
    isLooking = true
    clearTimeout(timer)
    let pause = every
    try {
      if (!cleansUp) await addCleanUp(database)
      cleansUp = true
      while (!isStopped) {
        endedMeanwhile = false
        const { free, busy } = placesBeside([...running.keys()], handlers)
        const job = await takeJob(database, free, busy)
        if (job) running.set(job, work(job))
        else if (!endedMeanwhile) break
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
