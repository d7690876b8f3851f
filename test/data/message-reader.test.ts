import { expect, test } from 'vitest'
import { MessageReader } from '../../src/data/message-reader.ts'

/** A message of the PostgreSQL protocol. */
function message(type: string, body: Buffer): Buffer {
  const header = Buffer.alloc(5)
  header.write(type)
  header.writeUInt32BE(body.length + 4, 1)
  return Buffer.concat([header, body])
}

const int16 = (value: number) => Buffer.from(new Uint8Array([value >> 8, value & 255]))
const int32 = (value: number) => Buffer.concat([int16((value >> 16) & 65_535), int16(value & 65_535)])

const row = (...columns: readonly (string | null)[]) =>
  message(
    'D',
    Buffer.concat([
      int16(columns.length),
      ...columns.map((text) =>
        text === null ? int32(-1) : Buffer.concat([int32(Buffer.byteLength(text)), Buffer.from(text)]),
      ),
    ]),
  )

const bindComplete = message('2', Buffer.alloc(0))
const notice = message('N', Buffer.from('a notice\0'))
const commandComplete = message('C', Buffer.from('SELECT 2\0'))
const readyForQuery = message('Z', Buffer.from('I'))

const first = row('first', '', null)
const second = row('zweite 😀')
const sent = Buffer.concat([bindComplete, first, notice, second, commandComplete, readyForQuery])

const sizes = [1, 2, 3, 5, 7, 16, 1_000]

/** Has a reader read chunks of this size. */
function readIn(size: number, reader: MessageReader, bytes: Buffer): void {
  for (let at = 0; at < bytes.length; at += size) reader.read(bytes.subarray(at, at + size))
}

/** A reader, and the parts that it forwards. */
function newReader() {
  const forwarded: Buffer[] = []
  const reader = new MessageReader((part) => void forwarded.push(Buffer.from(part)))
  return { reader, forwarded: () => Buffer.concat(forwarded) }
}

/** What receives rows, and refuses those that are longer. */
function newReceiver(longest: number) {
  const rows: Buffer[] = []
  return { rows, add: (row: Buffer) => void rows.push(row), mayReceive: (bytes: number) => bytes <= longest }
}

const withoutHeader = (bytes: Buffer) => bytes.subarray(5)

test.each(sizes)('rows in chunks of %i bytes are received, and everything else is forwarded', (size) => {
  const { reader, forwarded } = newReader()
  const receiver = newReceiver(100)
  reader.receiver = receiver
  readIn(size, reader, sent)
  expect(receiver.rows).toEqual([first, second].map(withoutHeader))
  expect(forwarded()).toEqual(Buffer.concat([bindComplete, notice, commandComplete, readyForQuery]))
})

test.each(sizes)('rows in chunks of %i bytes are forwarded while nothing receives them', (size) => {
  const { reader, forwarded } = newReader()
  readIn(size, reader, sent)
  expect(forwarded()).toEqual(sent)
})

test.each(sizes)('nothing in chunks of %i bytes is read after a row is refused', (size) => {
  const { reader, forwarded } = newReader()
  const receiver = newReceiver(withoutHeader(second).length)
  reader.receiver = receiver
  readIn(size, reader, Buffer.concat([bindComplete, second, first, second, readyForQuery]))
  expect(receiver.rows).toEqual([withoutHeader(second)])
  expect(forwarded()).toEqual(bindComplete)
})

test.each(Array.from(sent.keys()))('a statement that ends after %i bytes takes no row of the next one', (end) => {
  const { reader, forwarded } = newReader()
  const receiver = newReceiver(100)
  reader.receiver = receiver
  reader.read(sent.subarray(0, end))
  reader.receiver = undefined
  const { length } = receiver.rows
  reader.read(Buffer.concat([sent.subarray(end), sent]))
  expect(receiver.rows.length).toBe(length)
  expect(String(forwarded()).endsWith(String(sent))).toBe(true)
})
