import { setTimeout as sleep } from 'node:timers/promises'
import { crc32 } from 'node:zlib'
import { LRUCache } from 'lru-cache'
import type { Log } from '../log.ts'
import type { Backend, CompiledRead, TextRow } from './backend.ts'
import { messageOf } from './database-error.ts'
import { connectionStrings, isBehindPgBouncer, withoutPassword } from './database-url.ts'
import type { Resources } from './instrumentation.ts'
import { openPooledBackend } from './pooled-backend.ts'
import { onlyOnPrimary, positionAt, type RequestInfo, type WalPosition } from './request-info.ts'
import { hasUnknownState } from './unavailable.ts'

/** How long a server may take to say where it is, in milliseconds. */
const answerTimeout = 900

/** How long a check of a replica is valid, in milliseconds. */
const validity = 2_000

/** `identity` is the same for a database and its physical copies. */
const facts = `
  SELECT pg_is_in_recovery() AS "isStandby",
    (SELECT system_identifier::text FROM pg_control_system())
      || ' ' || (SELECT oid::text FROM pg_database WHERE datname = current_database()) AS identity,
    ${positionAt('CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_flush_lsn() END')} AS position`

/** Whether a server is a standby, of which database, and up to which position. */
type ReplicationFacts = { readonly isStandby: boolean; readonly identity: string; readonly position: WalPosition }

/** Asks a server for its facts. Rejects if it does not answer soon. */
async function replicationFacts({ runReserved }: Backend): Promise<ReplicationFacts> {
  const late = sleep(answerTimeout, undefined, { ref: false }).then(() => [])
  const [found] = await Promise.race([runReserved<ReplicationFacts>(facts, []), late])
  if (!found) throw new Error('it does not answer in time')
  return found
}

/** Why a server is no replica of the database with this identity. Undefined if it is one. */
function whyNoReplica({ isStandby, identity }: ReplicationFacts, wanted: string): string | undefined {
  if (identity !== wanted) return 'it has another database'
  return isStandby ? undefined : 'it is not a standby'
}

/** Opens the pools of a replica of a primary, which connect when they are used. */
function openReplica(url: string, size: number, { schema, instrumentation }: Backend, log: Log): Backend {
  const targets = connectionStrings(url).map((connectionString) => ({ connectionString }))
  const options = { size, serves: true, behindPgBouncer: isBehindPgBouncer(url), schema, instrumentation }
  return openPooledBackend(targets, options, log)
}

/** A replica, used while its checks succeed. */
class Replica {
  readonly backend: Backend
  readonly #log: Log
  #position: WalPosition = ''
  #validUntil = 0
  #isLeftOut = false

  constructor(url: string, size: number, primary: Backend, log: Log) {
    this.#log = log.child({ replica: withoutPassword(url) })
    this.backend = openReplica(url, size, primary, this.#log)
  }

  /** Whether it may be read from, and has the writes up to this position. */
  has(position: WalPosition): boolean {
    return performance.now() < this.#validUntil && position <= this.#position
  }

  /** Checks that it is a replica, and has the writes up to a position. If that is too new, it is only not used yet. */
  async check(identity: string, { position, isNew }: { readonly position: WalPosition; readonly isNew: boolean }) {
    const since = performance.now()
    try {
      const found = await replicationFacts(this.backend)
      const why = whyNoReplica(found, identity)
      if (why) return this.#leaveOut(why)
      if (found.position < position) return isNew ? undefined : this.#leaveOut('it lags')
      this.#position = found.position
      this.#validUntil = since + validity
      if (this.#isLeftOut) this.#log.info('a replica is used again')
      this.#isLeftOut = false
    } catch (error) {
      this.#leaveOut(messageOf(error))
    }
  }

  /** Notes that a read failed, which the primary repeats. If the connection was lost, it is not used until the next check. */
  noteFailure(err: unknown): void {
    this.#log.debug({ err }, 'a read of a replica failed')
    if (hasUnknownState(err)) this.#validUntil = 0
  }

  #leaveOut(reason: string): void {
    this.#validUntil = 0
    if (!this.#isLeftOut) this.#log.warn({ reason }, 'a replica is left out')
    this.#isLeftOut = true
  }
}

/**
 * How often the servers are checked, how far a replica may lag, and for how long an account reads from the primary after a write, in
 * milliseconds. The last is the sum of the lag and the time for which a check is valid.
 */
export const replicaTimes = { interval: 1_000, lag: 3_000, onPrimary: 5_000 } as const

/** How many accounts are remembered that read from the primary. */
const mostOnPrimary = 50_000

/** The position after all writes that were committed before. */
const currentPosition: CompiledRead = {
  text: `select ${positionAt('pg_current_wal_insert_lsn()', '$1')} as position`,
  values: ['0/0'],
  preparation: 'always',
  isCheap: true,
}

/** A position of the primary, and since when it may have it. */
type Sample = { readonly position: WalPosition; readonly since: number }

/** The replicas of a primary server. Reads go to those that are not far behind. */
export class Replicas {
  readonly #primary: Backend
  readonly #replicas: readonly Replica[]
  readonly #log: Log
  readonly #onPrimary = new LRUCache<string, true>({ max: mostOnPrimary, ttl: replicaTimes.onPrimary })
  #samples: readonly Sample[] = []
  #identity = ''
  /** Whether the primary did not tell its position when it was last asked. */
  #isSilent = false
  #timer: NodeJS.Timeout | undefined

  constructor(primary: Backend, urls: readonly string[], size: number, log: Log) {
    this.#primary = primary
    this.#log = log
    this.#replicas = urls.map((url) => new Replica(url, size, primary, log))
  }

  /** The pools of connections for requests, by name. */
  get pools(): Resources['pools'] {
    const pools = this.#replicas.map(({ backend }, nth) => [`replica${nth}`, backend.resources.pools.requests] as const)
    return Object.fromEntries(pools.flatMap(([name, pool]) => (pool ? [[name, pool]] : [])))
  }

  /** Begins to check the servers. Until a replica has passed, reads go to the primary. */
  start(): void {
    this.#timer = setInterval(() => this.#check(), replicaTimes.interval).unref()
    this.#sample().then(() => this.#check())
  }

  /** Runs a read on a replica, on the same one for an account while it can. If none may be used, or it fails there, the primary runs it. */
  async read(read: CompiledRead, request: RequestInfo): Promise<readonly TextRow[]> {
    const replica = this.#replicaFor(request)
    try {
      if (replica) return await replica.backend.read(read, request)
    } catch (error) {
      if (request.lifetime.signal.aborted) throw error
      replica?.noteFailure(error)
    }
    return this.#primary.read(read, request)
  }

  /** Lets an account read from the primary for some seconds, because it knows of changes that replicas may not have yet. */
  readOnPrimary(account: string): void {
    this.#onPrimary.set(account, true)
  }

  /** The position after the writes of an account, which it then reads from the primary. */
  async positionAfterWrite(account: string): Promise<WalPosition> {
    this.readOnPrimary(account)
    const [row] = await this.#primary.read(currentPosition).catch(() => [])
    return row?.position ?? onlyOnPrimary
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await Promise.all(this.#replicas.map(({ backend }) => backend.close()))
  }

  #replicaFor({ rateLimitKey, after = '' }: RequestInfo): Replica | undefined {
    if (this.#onPrimary.has(rateLimitKey)) return undefined
    const usable = this.#replicas.filter((replica) => replica.has(after))
    return usable[crc32(rateLimitKey) % usable.length]
  }

  async #check(): Promise<void> {
    const earliest = performance.now() - replicaTimes.lag
    this.#samples = this.#samples.filter(({ since }) => since >= earliest)
    const [oldest] = this.#samples
    const sampled = this.#sample()
    // Without an answer of the primary, nothing is known of its replicas.
    if (oldest) {
      const isNew = performance.now() - oldest.since < replicaTimes.interval
      const wanted = { position: oldest.position, isNew }
      await Promise.all(this.#replicas.map((replica) => replica.check(this.#identity, wanted)))
    }
    await sampled
  }

  async #sample(): Promise<void> {
    const since = performance.now()
    try {
      const { isStandby, identity, position } = await replicationFacts(this.#primary)
      if (isStandby) throw new Error('it is a standby')
      this.#identity = identity
      this.#samples = [...this.#samples, { position, since }]
      this.#isSilent = false
    } catch (err) {
      if (!this.#isSilent)
        this.#log.warn({ err }, 'no replica is used, because the primary did not report its WAL position')
      this.#isSilent = true
    }
  }
}
