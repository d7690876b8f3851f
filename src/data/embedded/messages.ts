// The parts of PostgreSQL's protocol (version 3, "Frontend/Backend Protocol") that sharing one session requires.

/** The codes of requests that a client may send instead of the startup message. */
const [cancelCode, ...encryptionCodes] = [80877102, 80877103, 80877104]

/** What the first message of a connection asks for. */
export function firstRequest(message: Buffer): 'cancel' | 'encryption' | 'start' {
  const code = message.readUInt32BE(4)
  if (code === cancelCode) return 'cancel'
  return encryptionCodes.includes(code) ? 'encryption' : 'start'
}

/** The message at the front of the input, or undefined while it is incomplete. After the first one, messages begin with a type. */
export function frontMessage(input: Buffer, hasType: boolean): Buffer | undefined {
  const start = hasType ? 1 : 0
  if (input.length < start + 4) return undefined
  const end = start + Math.max(input.readUInt32BE(start), 4)
  return input.length < end ? undefined : input.subarray(0, end)
}

/** The type of a message, such as `Q`. */
export const typeOf = (message: Buffer): string => message.toString('latin1', 0, 1)

/** The message with a prefix before the name of its prepared statement. Unnamed statements have none. */
export function withPrefix(message: Buffer, prefix: string): Buffer {
  const start = nameStart(message)
  if (start === undefined || message[start] === 0) return message
  const longer = Buffer.concat([message.subarray(0, start), Buffer.from(prefix), message.subarray(start)])
  longer.writeUInt32BE(longer.length - 1, 1)
  return longer
}

function nameStart(message: Buffer): number | undefined {
  const type = typeOf(message)
  if (type === 'P') return 5
  // A name of a portal comes before it.
  if (type === 'B') return message.indexOf(0, 5) + 1
  return (type === 'D' || type === 'C') && message.toString('latin1', 5, 6) === 'S' ? 6 : undefined
}

/** A simple query. */
export const query = (sql: string): Buffer => withLength('Q', `${sql}\0`)

/** The end of a sequence of messages, after which an error is over. */
export const sync = withLength('S', '')

/** The startup message of the only user and database. */
export const startup = withLength('', '\0\x03\0\0user\0postgres\0database\0postgres\0\0')

function withLength(type: string, content: string): Buffer {
  const message = Buffer.from(`${type}\0\0\0\0${content}`)
  message.writeUInt32BE(message.length - type.length, type.length)
  return message
}
