import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import type { Client } from '../data/client.ts'
import type { Access, Database } from '../data/database.ts'
import { newId } from '../data/ids.ts'
import type { Log } from '../log.ts'

/** Declares the kinds of jobs of an application, with what each is about: `declare module` adds them as properties. */
// biome-ignore lint/suspicious/noEmptyInterface: an application fills it.
export interface JobPayloads {}

/** A kind of jobs. */
export type JobKind = keyof JobPayloads

/** After how many seconds another process may take a job. Each takes less at once, or can be done twice. */
const leaseSeconds = 60

/** The pause after the first failure of a job, which doubles with each further one, and the longest pause, in seconds. */
const pauses = { first: 10, longest: 3_600 } as const

/** The longest error that is kept, in characters. */
const longestError = 500

/** A job that a process has taken. */
type TakenJob = {
  readonly kind: JobKind
  readonly key: string
  readonly payload: unknown
  /** The domain whose mail server it needs, if it sends an e-mail. */
  readonly domain: string | null
  readonly lease: string
  /** How many times it was taken since it was added or repeated, including this time. */
  readonly attempts: number
}

/**
 * In how many seconds a job is due, by default 0, and its key, by default a new one: of a kind and key there is one job. A new one
 * `replaces` none, one that was taken, whose process then cannot remove it, or any.
 */
type JobOptions = {
  readonly key?: string
  readonly inSeconds?: number
  readonly replaces?: 'none' | 'taken' | 'any'
}

/** Adds a job in the transaction of its cause, unless there is one of this kind and key that it does not replace. */
export async function addJob<K extends JobKind>(
  client: Client,
  kind: K,
  payload: JobPayloads[K],
  { key = newId(), inSeconds = 0, replaces = 'none' }: JobOptions = {},
): Promise<void> {
  await client.$executeRaw`
    insert into jobs (kind, key, payload, due_at)
    values (${kind}, ${key}, ${JSON.stringify(payload)}::jsonb, now() + make_interval(secs => ${inSeconds}::float8))
    on conflict (kind, key) do update
      set payload = excluded.payload, due_at = excluded.due_at, lease = null, attempts = 0, error = null
      where ${replaces} = 'any' or ${replaces} = 'taken' and jobs.lease is not null`
}

/** Removes the job of this kind and key, if there is one. */
export async function cancelJob(client: Client, kind: JobKind, key: string): Promise<void> {
  await client.job.deleteMany({ where: { kind, key } })
}

/**
 * Takes the job that has been due for longest, of the first of these groups of kinds that has one, and for no domain that is
 * `busy`. Undefined if none is due.
 */
export async function takeJob(
  { write: { prisma } }: Access,
  groups: readonly (readonly JobKind[])[],
  busy: readonly string[] = [],
): Promise<TakenJob | undefined> {
  const ranks = groups.flatMap((kinds, rank) => kinds.map(() => rank))
  const [job] = await prisma.$queryRaw<TakenJob[]>`
    update jobs set lease = ${newId()}::uuid, attempts = attempts + 1, due_at = now() + make_interval(secs => ${leaseSeconds}::int)
    where (kind, key) = (
      select due.kind, due.key from unnest(${groups.flat()}::text[], ${ranks}::int[]) wanted (kind, rank)
      cross join lateral (
        select kind, key, due_at from jobs
        where kind = wanted.kind and due_at <= now() and coalesce(payload ->> 'domain', '') <> all(${busy}::text[])
        order by due_at limit 1 for update skip locked) due
      order by wanted.rank, due.due_at limit 1)
    returning kind, key, payload, payload ->> 'domain' as domain, lease::text, attempts`
  return job
}

/** Removes a job that is done, unless another process has it by now. */
export async function removeJob({ write: { prisma } }: Access, { kind, key, lease }: TakenJob): Promise<void> {
  await prisma.$executeRaw`delete from jobs where kind = ${kind} and key = ${key} and lease = ${lease}::uuid`
}

/** Repeats a job after this many seconds, as if it were new. */
async function repeatJob({ write: { prisma } }: Access, job: TakenJob, seconds: number): Promise<void> {
  await prisma.$executeRaw`
    update jobs set lease = null, attempts = 0, error = null, due_at = now() + make_interval(secs => ${seconds}::float8)
    where kind = ${job.kind} and key = ${job.key} and lease = ${job.lease}::uuid`
}

/** Retries a job that failed, after a pause that grows with its attempts. */
async function retryJob({ write: { prisma } }: Access, job: TakenJob, error: unknown): Promise<void> {
  const seconds = Math.min(pauses.longest, pauses.first * 2 ** Math.min(job.attempts - 1, 20))
  const [line = ''] = String(error).split('\n')
  await prisma.$executeRaw`
    update jobs set lease = null, error = ${line.slice(0, longestError)}, due_at = now() + make_interval(secs => ${seconds}::int)
    where kind = ${job.kind} and key = ${job.key} and lease = ${job.lease}::uuid`
}

/** A statement that counts the jobs of each kind, for `jobCounts`. */
export const countJobs = `
  select kind, count(*) as jobs, count(error) as failing, max(error) as error,
    greatest(extract(epoch from now() - min(due_at)), 0) as delay
  from jobs group by kind order by kind`

/**
 * For each kind, how many jobs there are, how many of them are failing, the error of one, and for how many seconds the oldest has
 * been due.
 */
export const jobCounts = z.array(
  z.object({
    kind: z.string(),
    jobs: z.coerce.number(),
    failing: z.coerce.number(),
    error: z.string().nullable(),
    delay: z.coerce.number(),
  }),
)

/** How often a process looks for jobs, in milliseconds. */
const interval = 1_000

/** How long it waits when the database does not answer, in milliseconds. */
const failurePause = 30_000

/** How long a stopping process waits for its jobs, in milliseconds. Another process takes the rest once their leases end. */
const stopTimeout = 5_000

/**
 * How many jobs without places of their own a process works on at once, at most one of each kind, so that a kind that hangs delays
 * no other.
 */
const othersAtOnce = 4

/** How a process works on the jobs of a kind. */
type JobType<Payload> = {
  readonly payload: z.ZodType<Payload>
  /** Kinds with a lower number are taken first. */
  readonly rank: number
  /** How many jobs of this kind have places of their own, and how many of those for one domain. */
  readonly places?: { readonly ofKind: number; readonly toDomain: number }
  /**
   * Does a job, and returns after how many seconds it repeats; undefined if it is done. A job whose handler throws is retried. Jobs
   * without a handler are left to other processes.
   */
  readonly handle?: ((payload: Payload, job: TakenJob) => Promise<number | undefined>) | undefined
}

/** All kinds of jobs. */
export type JobKinds = { readonly [K in JobKind]: JobType<JobPayloads[K]> }

const kindsOf = (kinds: JobKinds) => Object.keys(kinds).filter((kind): kind is JobKind => kind in kinds)

/**
 * Of which kinds a process that works on these jobs can take another one, most urgent first, and the domains that get as many as
 * they may.
 */
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
