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

const others = [message('2', Buffer.alloc(0)), message('C', Buffer.from('SELECT 2\0')), message('Z', Buffer.from('I'))]
const [bindComplete, commandComplete, readyForQuery] = others

const sent = Buffer.concat([
  bindComplete ?? Buffer.alloc(0),
  row('first', '', null),
  row('zweite 😀'),
  commandComplete ?? Buffer.alloc(0),
  readyForQuery ?? Buffer.alloc(0),
])

test.each([1, 2, 3, 5, 7, 1_000])('messages in chunks of %i bytes are divided into rows and others', (size) => {
  const lengths: number[] = []
  const forwarded: Buffer[] = []
  const reader = new MessageReader(
    (bytes) => lengths.push(bytes) > 0,
    (part) => forwarded.push(part),
  )
  for (let at = 0; at < sent.length; at += size) reader.read(sent.subarray(at, at + size))
  expect(reader.rows.map((columns) => columns.map((column) => column && String(column)))).toEqual([
    ['first', '', null],
    ['zweite 😀'],
  ])
  expect(lengths).toEqual([2 + 4 + 5 + 4 + 4, 2 + 4 + 11])
  expect(Buffer.concat(forwarded)).toEqual(Buffer.concat(others))
})

test('nothing is received after a row is refused', () => {
  const forwarded: Buffer[] = []
  const reader = new MessageReader(
    () => false,
    (part) => forwarded.push(part),
  )
  reader.read(sent)
  expect(reader.rows).toEqual([])
  expect(forwarded).toEqual([bindComplete])
})
