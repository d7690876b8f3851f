import type pg from 'pg'
import type { ResultLimit } from './backend.ts'
import { tooBusy } from './fair-queue.ts'

/**
 * Receives the result of the statement that a connection runs, up to a limit. To abandon the statement, it closes the connection, because
 * cancelling would not stop a result that is being sent. Throws `UNAVAILABLE` then.
 */
export async function receiveWithin<T>(
  { connection: { stream } }: pg.Client,
  result: Promise<T>,
  { bytes, mayExceed }: ResultLimit,
): Promise<T> {
  let received = 0
  let isAbandoned = false
  const count = (chunk: Buffer) => {
    received += chunk.length
    if (received <= bytes) return
    stream.off('data', count)
    isAbandoned = !mayExceed()
    if (isAbandoned) stream.destroy()
  }
  stream.on('data', count)
  await Promise.allSettled([result])
  stream.off('data', count)
  // The last chunk may have exceeded the limit, so the result can be complete although the connection is closed.
  if (isAbandoned) throw tooBusy()
  return result
}
