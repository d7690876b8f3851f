import { createHash } from 'node:crypto'
import type { Client } from '../data/client.ts'
import type { Access } from '../data/database.ts'
import type { Prisma } from '../data/generated/prisma/client.ts'
import { inBatches } from '../data/in-batches.ts'
import { reportUnknownOutcome } from '../data/write-outcome.ts'
import { Refusal } from '../errors.ts'

/** How long the result of a write with a key is kept, in hours. */
export const hoursKept = 24

/** The size of the largest result that is kept, in bytes of JSON. */
const largestResult = 64 * 1024

/**
 * The points that each KiB of a stored result takes. Otherwise one account could fill the disk with results that cost no more than
 * the writes.
 */
export const pointsOfStoredKiB = 150

/** The points that storing a result takes. */
export function pointsToStore(json: string): number {
  return Math.ceil(Buffer.byteLength(json) / 1_024) * pointsOfStoredKiB
}

/** A write that its client may send again, with its `Idempotency-Key` and a hash of all that it asks for. */
export type RepeatableRequest = { readonly key: string; readonly requestHash: Uint8Array<ArrayBuffer> }

/** The result of a write as JSON; one that `isRefused` leaves nothing behind but its result. */
type RepeatableResult = { readonly json: string; readonly isRefused: boolean }

/** SHA-256 of texts, none of which can run into the next one. */
export function hashOf(...texts: readonly string[]): Uint8Array<ArrayBuffer> {
  return new Uint8Array(createHash('sha256').update(JSON.stringify(texts)).digest())
}

/**
 * Runs a write once for each key of an account, and stores its result in the same transaction. Returns the stored result whenever
 * the same request is sent again. Throws `IDEMPOTENCY_KEY_IN_USE`, `IDEMPOTENCY_KEY_REUSED` for a different request, and
 * `VALIDATION_FAILED` for a result that is too large. `isHidden` is whether the account may no longer see the `result` of the
 * time `created_at`. What `work` throws is not stored, and nothing of it stays.
 */
export function runOnce(
  { write }: Access,
  account: string,
  { key, requestHash }: RepeatableRequest,
  isHidden: Prisma.Sql,
  work: (transaction: Client) => Promise<RepeatableResult>,
): Promise<{ readonly json: string; readonly isReplay: boolean }> {
  const keyHash = hashOf(account, key)
  return reportUnknownOutcome('send the same request again with the same Idempotency-Key', () =>
    write.limitedTransaction(async (transaction) => {
      const isLocked = await lockKey(transaction, keyHash)
      const stored = await find(transaction, account, keyHash, isHidden)
      if (stored) {
        if (Buffer.compare(stored.requestHash, requestHash) === 0) {
          if (stored.isHidden)
            throw new Refusal(
              'CONFLICT',
              'This was done, but its response may contain what is hidden from you now: read the data.',
            )
          return { json: stored.result, isReplay: true }
        }
        throw new Refusal('IDEMPOTENCY_KEY_REUSED', 'This Idempotency-Key was sent with another request before.')
      }
      if (!isLocked)
        throw new Refusal('IDEMPOTENCY_KEY_IN_USE', 'A request with this Idempotency-Key is still in progress.')
      await transaction.$executeRaw`savepoint before_work`
      const { json, isRefused } = await work(transaction)
      if (isRefused) await transaction.$executeRaw`rollback to savepoint before_work`
      if (Buffer.byteLength(json) > largestResult) {
        const message = `The result of a write with an Idempotency-Key must not exceed ${largestResult} bytes. Select fewer fields.`
        throw new Refusal('VALIDATION_FAILED', message)
      }
      await transaction.$executeRaw`
        insert into idempotency_keys (account_id, key_hash, request_hash, result)
        values (${account}::uuid, ${keyHash}, ${requestHash}, ${json})
        on conflict (account_id, key_hash)
        do update set request_hash = excluded.request_hash, result = excluded.result, created_at = now()`
      return { json, isReplay: false }
    }),
  )
}

/** Removes all results that are no longer kept, in short transactions. */
export async function removeOldResults({ write: { prisma } }: Access): Promise<void> {
  await inBatches(
    (size) => prisma.$executeRaw`
      delete from idempotency_keys where (account_id, key_hash) in (
        select account_id, key_hash from idempotency_keys
        where created_at < now() - make_interval(hours => ${hoursKept}::int)
        order by created_at limit ${size}::int
        for update skip locked)`,
  )
}

/** Whether no other transaction has the lock of the key: one that does the write, or one that only repeats its result. */
async function lockKey(transaction: Client, keyHash: Uint8Array<ArrayBuffer>): Promise<boolean> {
  const lock = new DataView(keyHash.buffer).getBigInt64(0)
  const [row] = await transaction.$queryRaw<{ readonly taken: boolean }[]>`
    select pg_try_advisory_xact_lock(${lock}::bigint) as taken`
  return row?.taken === true
}

/** A stored result, and whether its account may no longer see it. */
type Stored = { readonly requestHash: Uint8Array; readonly result: string; readonly isHidden: boolean }

async function find(transaction: Client, account: string, keyHash: Uint8Array<ArrayBuffer>, isHidden: Prisma.Sql) {
  const [row] = await transaction.$queryRaw<Stored[]>`
    select request_hash as "requestHash", result, ${isHidden} as "isHidden"
    from idempotency_keys
    where account_id = ${account}::uuid and key_hash = ${keyHash}
      and created_at >= now() - make_interval(hours => ${hoursKept}::int)`
  return row
}
