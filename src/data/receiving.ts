import type { Buffer } from 'node:buffer'
import type pg from 'pg'
import type { EncodedRow, ResultLimit } from './backend.ts'
import { MessageReader } from './message-reader.ts'
import { tooBusy } from './requester.ts'

/** The readers of open connections. */
const readers = new WeakMap<pg.Client, MessageReader>()

/**
 * Places a reader between a new connection and its driver. The driver decodes each row at once, which blocks the event loop for 10
 * milliseconds for each megabyte, and the response would be encoded again. So `receiveWithin` keeps rows from it.
 */
export function readMessages(client: pg.Client): void {
  const { stream } = client.connection
  const driver = stream.listeners('data')
  const reader = new MessageReader((part) => {
    for (const listener of driver) listener.call(stream, part)
  })
  readers.set(client, reader)
  stream.removeAllListeners('data').on('data', (chunk: Buffer) => reader.read(chunk))
}

/** The length of a column that is null. */
const nullColumn = -1

/** The columns of a row, from the message that contains it: their number, and the length and bytes of each. */
function columnsOf(message: Buffer): (Buffer | null)[] {
  const columns: (Buffer | null)[] = []
  let at = 2
  for (let left = message.readInt16BE(0); left > 0; left -= 1) {
    const length = message.readInt32BE(at)
    at += 4
    columns.push(length === nullColumn ? null : message.subarray(at, at + length))
    at += Math.max(length, 0)
  }
  return columns
}

/**
 * Receives the rows of the statement that a connection runs, up to a limit, without decoding them. To abandon the statement, it closes the
 * connection, because cancelling would not stop a result that is being sent. Throws `UNAVAILABLE` then.
 */
export async function receiveWithin(
  client: pg.Client,
  result: Promise<Pick<pg.QueryResult, 'fields'>>,
  limit: ResultLimit,
): Promise<EncodedRow[]> {
  const reader = readers.get(client)
  if (!reader) throw new TypeError('The messages of this connection are not read')
  const messages: Buffer[] = []
  let received = 0
  let isAbandoned = false
  const mayReceive = (bytes: number) => {
    const isFirstBeyond = received <= limit.bytes && received + bytes > limit.bytes
    received += bytes
    isAbandoned = isFirstBeyond && !limit.mayExceed()
    if (isAbandoned) client.connection.stream.destroy()
    return !isAbandoned
  }
  reader.receiver = { add: (message) => messages.push(message), mayReceive }
  await Promise.allSettled([result])
  reader.receiver = undefined
  if (isAbandoned) throw tooBusy()
  const { fields } = await result
  if (received <= limit.bytes) limit.noteSmall()
  return messages.map((message) => {
    const columns = columnsOf(message)
    return Object.fromEntries(fields.map(({ name }, index) => [name, columns[index] ?? null]))
  })
}
