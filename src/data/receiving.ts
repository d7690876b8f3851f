import type { Duplex } from 'node:stream'
import type pg from 'pg'
import type { EncodedRow, ResultLimit } from './backend.ts'
import { tooBusy } from './fair-queue.ts'
import { MessageReader } from './message-reader.ts'

/**
 * Stands between a connection and its driver. The driver decodes each row at once, which blocks the event loop for 10 milliseconds for each
 * megabyte, and the response would be encoded again. So the rows of some statements do not reach it.
 */
class Receiver {
  /** Receives rows while a statement runs whose rows do not reach the driver. */
  reader: MessageReader | undefined
  readonly #stream: Duplex
  readonly #listeners: readonly unknown[]

  constructor(stream: Duplex) {
    this.#stream = stream
    this.#listeners = stream.listeners('data')
    stream.removeAllListeners('data')
    stream.on('data', (chunk: Buffer) => {
      if (this.reader) this.reader.read(chunk)
      else this.forward(chunk)
    })
  }

  /** Gives the driver something that the server sent. */
  forward(part: Buffer): void {
    for (const listener of this.#listeners) if (typeof listener === 'function') listener.call(this.#stream, part)
  }
}

const receivers = new WeakMap<pg.Client, Receiver>()

function receiverOf(client: pg.Client): Receiver {
  const receiver = receivers.get(client) ?? new Receiver(client.connection.stream)
  receivers.set(client, receiver)
  return receiver
}

/**
 * Receives the rows of the statement that a connection runs, up to a limit, without decoding them. To abandon the statement, it closes the
 * connection, because cancelling would not stop a result that is being sent. Throws `UNAVAILABLE` then.
 */
export async function receiveWithin(
  client: pg.Client,
  result: Promise<Pick<pg.QueryResult, 'fields'>>,
  { bytes, mayExceed }: ResultLimit,
): Promise<EncodedRow[]> {
  const receiver = receiverOf(client)
  let received = 0
  let isAbandoned = false
  const mayReceive = (length: number) => {
    const isFirstBeyond = received <= bytes && received + length > bytes
    received += length
    isAbandoned = isFirstBeyond && !mayExceed()
    if (isAbandoned) client.connection.stream.destroy()
    return !isAbandoned
  }
  const reader = new MessageReader(mayReceive, (part) => receiver.forward(part))
  receiver.reader = reader
  await Promise.allSettled([result])
  receiver.reader = undefined
  if (isAbandoned) throw tooBusy()
  const { fields } = await result
  return reader.rows.map((columns) =>
    Object.fromEntries(fields.map(({ name }, index) => [name, columns[index] ?? null])),
  )
}
