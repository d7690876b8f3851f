import { z } from 'zod'
import type { Client } from '../data/client.ts'
import type { Access } from '../data/database.ts'
import { newId } from '../data/new-id.ts'

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
export type TakenJob = {
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
 * In how many seconds a job is due, by default 0, and its key, by default a new one: of a kind and key there is one job. A new one `replaces` none,
 * one that was taken, whose process then cannot remove it, or any.
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
 * Takes the job that has been due for longest, of the first of these groups of kinds that has one, and for no domain that is `busy`. Undefined if
 * none is due.
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
export async function repeatJob({ write: { prisma } }: Access, job: TakenJob, seconds: number): Promise<void> {
  await prisma.$executeRaw`
    update jobs set lease = null, attempts = 0, error = null, due_at = now() + make_interval(secs => ${seconds}::float8)
    where kind = ${job.kind} and key = ${job.key} and lease = ${job.lease}::uuid`
}

/** Retries a job that failed, after a pause that grows with its attempts. */
export async function retryJob({ write: { prisma } }: Access, job: TakenJob, error: unknown): Promise<void> {
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

/** For each kind, how many jobs there are, how many of them are failing, the error of one, and for how many seconds the oldest has been due. */
export const jobCounts = z.array(
  z.object({
    kind: z.string(),
    jobs: z.coerce.number(),
    failing: z.coerce.number(),
    error: z.string().nullable(),
    delay: z.coerce.number(),
  }),
)
