/**
 * The parts of PostgreSQL's protocol (version 3, "Frontend/Backend Protocol") that a server in front of PGlite needs: where
 * messages end, which of them name a prepared statement, and the server's own messages.
 */

/** A client message: its type, such as `Q`, and all its bytes. */
export type Message = { readonly type: string; readonly bytes: Buffer }

/** The codes of requests before the startup message (PostgreSQL documentation, "Message Formats"). */
const requestCodes: ReadonlyMap<number, 'encryption' | 'cancel'> = new Map([
  [80877102, 'cancel'],
  [80877103, 'encryption'],
  [80877104, 'encryption'],
])

/** The first message of a connection: the startup message with its parameters, or a request before it. */
export type FirstMessage =
  | { readonly kind: 'encryption' }
  | { readonly kind: 'cancel' }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'startup'; readonly minor: number; readonly parameters: ReadonlyMap<string, string> }

/** The types of client messages after the startup. */
export const messageTypes: ReadonlySet<string> = new Set('PBDECHSQFXdcf')

/** A type and a length, in bytes. */
export const shortestMessage = 5

/** The bytes of the message at the front, or undefined while it is incomplete; `typed` messages have a type before the length. */
export function frontMessage(input: Buffer, typed: boolean): Buffer | undefined {
  const start = typed ? 1 : 0
  if (input.length < start + 4) return undefined
  const end = start + input.readUInt32BE(start)
  return input.length < end ? undefined : input.subarray(0, end)
}

/** The declared length of the message at the front; 0 while it is unknown. */
export function announcedLength(input: Buffer, typed: boolean): number {
  const start = typed ? 1 : 0
  return input.length < start + 4 ? 0 : start + input.readUInt32BE(start)
}

/** Reads the first message of a connection. */
export function readFirstMessage(bytes: Buffer): FirstMessage {
  if (bytes.length < 8) return { kind: 'unknown' }
  const code = bytes.readUInt32BE(4)
  const kind = requestCodes.get(code)
  if (kind !== undefined) return { kind }
  if (code >>> 16 !== 3) return { kind: 'unknown' }
  const words = bytes.toString('utf8', 8).split('\0')
  const parameters = new Map<string, string>()
  for (let at = 0; at + 1 < words.length; at += 2) parameters.set(words[at] ?? '', words[at + 1] ?? '')
  return { kind: 'startup', minor: code & 0xffff, parameters }
}

/** The name of the prepared statement in a message and its position; undefined if there is none. */
export function statementName({ type, bytes }: Message): { readonly name: string; readonly start: number } | undefined {
  if (type === 'P') return nameAt(bytes, 5)
  if (type === 'B') return nameAt(bytes, bytes.indexOf(0, 5) + 1)
  const isOfStatement = (type === 'D' || type === 'C') && bytes[5] === 'S'.charCodeAt(0)
  return isOfStatement ? nameAt(bytes, 6) : undefined
}

function nameAt(bytes: Buffer, start: number) {
  const end = bytes.indexOf(0, start)
  return start < 5 || end < 0 ? undefined : { name: bytes.toString('utf8', start, end), start }
}

/** The message with `prefix` put before the name that starts at `start`. */
export function withPrefix({ bytes }: Message, start: number, prefix: Buffer): Buffer {
  const longer = Buffer.concat([bytes.subarray(0, start), prefix, bytes.subarray(start)])
  longer.writeUInt32BE(longer.length - 1, 1)
  return longer
}

/** A message of one type with this content. */
export function message(type: string, content: Buffer | string = ''): Buffer {
  const body = Buffer.from(content)
  const head = Buffer.alloc(5)
  head.write(type)
  head.writeUInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}

/** A simple query. */
export const query = (sql: string): Buffer => message('Q', `${sql}\0`)

/** Closes a prepared statement. */
export const closeStatement = (name: string): Buffer => message('C', `S${name}\0`)

/** Ends a sequence of extended-query messages. */
export const sync = message('S')

/** Declines encryption. */
export const noEncryption = Buffer.from('N')

/** Tells a client that the server supports protocol version 3.0 and none of the requested options. */
export const versionIsThree = message('v', Buffer.alloc(8))

/** The startup message for the only user and database. */
export function startup(): Buffer {
  const body = Buffer.from('\0\x03\0\0user\0postgres\0database\0postgres\0\0', 'latin1')
  const length = Buffer.alloc(4)
  length.writeUInt32BE(body.length + 4)
  return Buffer.concat([length, body])
}

/** An error with its SQLSTATE (PostgreSQL documentation, appendix A). A FATAL error ends the connection. */
export function errorResponse(severity: 'ERROR' | 'FATAL', code: string, text: string): Buffer {
  return message('E', `S${severity}\0V${severity}\0C${code}\0M${text}\0\0`)
}

/** The session status: idle, in a transaction, or in a failed one. */
export type TransactionStatus = 'idle' | 'transaction' | 'failed'

const statuses: ReadonlyMap<string, TransactionStatus> = new Map([
  ['I', 'idle'],
  ['T', 'transaction'],
  ['E', 'failed'],
])

/** The status at the end of a response; undefined if its last message is not `ReadyForQuery`. */
export function statusAtEnd(answer: Buffer): TransactionStatus | undefined {
  let last = 0
  for (let at = 0; at + 5 <= answer.length; at += 1 + answer.readUInt32BE(at + 1)) last = at
  return answer.toString('latin1', last, last + 1) === 'Z'
    ? statuses.get(answer.toString('latin1', last + 5))
    : undefined
}

/** The length of `ReadyForQuery`, in bytes. */
export const readyForQuery = 6

/** Removes the first `ParseComplete` from a response. */
export function withoutParseComplete(answer: Buffer): Buffer {
  for (let at = 0; at + 5 <= answer.length; at += 1 + answer.readUInt32BE(at + 1)) {
    if (answer[at] === '1'.charCodeAt(0)) return Buffer.concat([answer.subarray(0, at), answer.subarray(at + 5)])
  }
  return answer
}

/** The first column of the first row of a response, as text; undefined if there is none. */
export function firstValue(answer: Buffer): string | undefined {
  for (let at = 0; at + 11 <= answer.length; at += 1 + answer.readUInt32BE(at + 1)) {
    if (answer[at] !== 'D'.charCodeAt(0)) continue
    const length = answer.readInt32BE(at + 7)
    return length < 0 ? undefined : answer.toString('utf8', at + 11, at + 11 + length)
  }
  return undefined
}
