import { setTimeout as sleep } from 'node:timers/promises'
import type { z } from 'zod'
import type { Database } from '../data/database.ts'
import type { Log } from '../log.ts'
import { type JobKind, type JobPayloads, removeJob, repeatJob, retryJob, type TakenJob, takeJob } from './jobs.ts'

/** How often a process looks for jobs, in milliseconds. */
const interval = 1_000

/** How long it waits when the database does not answer, in milliseconds. */
const failurePause = 30_000

/** How long a stopping process waits for its jobs, in milliseconds. Another process takes the rest once their leases end. */
const stopTimeout = 5_000

/** How many jobs without places of their own a process works on at once, at most one of each kind, so that a kind that hangs delays no other. */
const othersAtOnce = 4

/** How a process works on the jobs of a kind. */
type JobType<Payload> = {
  readonly payload: z.ZodType<Payload>
  /** Kinds with a lower number are taken first. */
  readonly rank: number
  /** How many jobs of this kind have places of their own, and how many of those for one domain. */
  readonly places?: { readonly ofKind: number; readonly toDomain: number }
  /**
   * Does a job, and returns after how many seconds it repeats; undefined if it is done. A job whose handler throws is retried. Jobs without a
   * handler are left to other processes.
   */
  readonly handle?: ((payload: Payload, job: TakenJob) => Promise<number | undefined>) | undefined
}

/** All kinds of jobs. */
export type JobKinds = { readonly [K in JobKind]: JobType<JobPayloads[K]> }

const kindsOf = (kinds: JobKinds) => Object.keys(kinds).filter((kind): kind is JobKind => kind in kinds)

/** Of which kinds a process that works on these jobs can take another one, most urgent first, and the domains that get as many as they may. */
function placesBeside(running: readonly TakenJob[], kinds: JobKinds) {
  const ofKind = (kind: JobKind) => running.filter((job) => job.kind === kind).length
  const others = running.filter(({ kind }) => !kinds[kind].places).length
  const isFull = ({ kind, domain }: TakenJob) =>
    running.filter((job) => job.domain === domain).length >= (kinds[kind].places?.toDomain ?? Number.POSITIVE_INFINITY)
  const isFree = (kind: JobKind) => {
    const { places, handle } = kinds[kind]
    return handle !== undefined && (places ? ofKind(kind) < places.ofKind : ofKind(kind) === 0 && others < othersAtOnce)
  }
  const ranks = [...new Set(kindsOf(kinds).map((kind) => kinds[kind].rank))].toSorted((one, other) => one - other)
  return {
    free: ranks.map((rank) => kindsOf(kinds).filter((kind) => kinds[kind].rank === rank && isFree(kind))),
    busy: running.flatMap((job) => (job.domain !== null && isFull(job) ? job.domain : [])),
  }
}

/** Works on the jobs of a database, as other processes do too. `begin` adds those that always exist. Returns a function that stops it. */
export function startJobs(
  database: Database,
  kinds: JobKinds,
  log: Log,
  { every = interval, begin }: { readonly every?: number; readonly begin?: () => Promise<void> } = {},
): () => Promise<void> {
  const running = new Map<TakenJob, Promise<void>>()
  let isStopped = false
  let isLooking = false
  let endedMeanwhile = false
  let isBegun = false
  let timer = setTimeout(look).unref()

  async function run<K extends JobKind>(kind: K, job: TakenJob): Promise<number | undefined> {
    const { handle, payload } = kinds[kind]
    return handle?.(payload.parse(job.payload), job)
  }

  async function work(job: TakenJob): Promise<void> {
    try {
      const seconds = await run(job.kind, job)
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
      if (!isBegun) await begin?.()
      isBegun = true
      while (!isStopped) {
        endedMeanwhile = false
        const { free, busy } = placesBeside([...running.keys()], kinds)
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
