import type pg from 'pg'
import type { ReceivingPause } from './backend.ts'

/**
 * Receives the result of the statement that a connection runs, with a pause if it is large. While the connection is not read, the rest of
 * the result stays with the database. If the pause ends with an error, the connection is closed, and the statement fails with that error.
 */
export async function receiveWithPause<T>(
  { connection: { stream } }: pg.Client,
  result: Promise<T>,
  { after, until }: ReceivingPause,
): Promise<T> {
  let received = 0
  let paused: Promise<void> | undefined
  const pauseWhenLarge = (chunk: Buffer) => {
    received += chunk.length
    if (received <= after) return
    stream.off('data', pauseWhenLarge)
    stream.pause()
    paused = until().then(
      () => void stream.resume(),
      (error: unknown) => {
        stream.destroy()
        throw error
      },
    )
    // It is awaited below.
    paused.catch(() => undefined)
  }
  stream.on('data', pauseWhenLarge)
  await Promise.allSettled([result])
  stream.off('data', pauseWhenLarge)
  // The last chunk may have begun the pause. It must not affect the next statement of the connection.
  await paused
  return result
}
