import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../log.ts'
import type { Backend } from './backend.ts'
import { messageOf } from './database-error.ts'
import { connectionStrings, isBehindPgBouncer, withoutPassword } from './database-url.ts'
import { openPooledBackend } from './pooled-backend.ts'
import { hasUnknownState } from './unavailable.ts'
import { positionAt, type WalPosition } from './wal-position.ts'

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
export async function replicationFacts({ runReserved }: Backend): Promise<ReplicationFacts> {
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
export class Replica {
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
