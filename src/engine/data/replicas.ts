import { crc32 } from 'node:zlib'
import { LRUCache } from 'lru-cache'
import type { Log } from '../log.ts'
import type { Backend, CompiledRead, TextRow } from './backend.ts'
import type { Resources } from './instrumentation.ts'
import { Replica, replicationFacts } from './replica.ts'
import type { RequestInfo } from './request-info.ts'
import { onlyOnPrimary, positionAt, type WalPosition } from './wal-position.ts'

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

  #replicaFor({ account, after = '' }: RequestInfo): Replica | undefined {
    if (this.#onPrimary.has(account)) return undefined
    const usable = this.#replicas.filter((replica) => replica.has(after))
    return usable[crc32(account) % usable.length]
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
