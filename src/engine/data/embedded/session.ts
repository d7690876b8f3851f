import type { Socket } from 'node:net'
import type { PGlite } from '@electric-sql/pglite'

/** Receives the responses to its batches. */
type Responder = { respond(response: Buffer): void }

/** Messages with one response. */
type Batch = {
  readonly client: Responder
  readonly bytes: Buffer
  /** Whether more messages of the same sequence follow. */
  readonly isOpen: boolean
}

/** The bytes of the write-ahead log between two checkpoints. */
const bytesBetween = 32 * 2 ** 20

/** A simple query. */
const query = (sql: string): Buffer => withLength('Q', `${sql}\0`)

/** The end of a sequence of messages, after which an error is over. */
const sync = withLength('S', '')

/** The startup message of the only user and database. */
const startup = withLength('', '\0\x03\0\0user\0postgres\0database\0postgres\0\0')

const checkpoint = query(`DO $$ BEGIN
  IF pg_wal_lsn_diff(pg_current_wal_insert_lsn(), (SELECT redo_lsn FROM pg_control_checkpoint())) > ${bytesBetween} THEN
    CHECKPOINT;
  END IF;
END $$`)

const closeStatements = (prefix: string) => `DO $$ DECLARE statement text; BEGIN
  FOR statement IN SELECT name FROM pg_prepared_statements WHERE starts_with(name, '${prefix}') LOOP
    EXECUTE format('DEALLOCATE %I', statement);
  END LOOP;
END $$`

/**
 * The single session of PGlite, shared by several clients. Batches run one at a time, in order of arrival. The client of a transaction, or
 * of an incomplete sequence of messages, keeps the session until its end.
 */
export class Session {
  readonly #pglite: PGlite
  #waiting: Batch[] = []
  #holder: Responder | undefined
  #isChanged = false
  /** The response to the start of a client. */
  readonly greeting: Buffer

  constructor(pglite: PGlite) {
    this.#pglite = pglite
    this.greeting = this.#execute(startup)
  }

  /** Runs a batch when the session is free, and gives the client the response. */
  run(batch: Batch): void {
    this.#waiting.push(batch)
    for (let next = this.#next(); next; next = this.#next()) {
      const response = this.#execute(next.bytes)
      this.#isChanged = true
      this.#holder = next.isOpen || this.#pglite.isInTransaction() ? next.client : undefined
      next.client.respond(response)
    }
  }

  /** Ends the transaction of a client that has disconnected, and closes its prepared statements, whose names have the prefix. */
  leave(client: Responder, prefix: string): void {
    this.#waiting = this.#waiting.filter((batch) => batch.client !== client)
    if (this.#holder === client) {
      this.#execute(Buffer.concat([sync, query('ROLLBACK')]))
      this.#holder = undefined
    }
    this.run({ client, bytes: query(closeStatements(prefix)), isOpen: false })
  }

  /**
   * Runs a checkpoint if one is due and no client holds the session. PGlite, unlike a PostgreSQL server, runs none on its own, so its
   * write-ahead log, and the time to recover from it, would keep growing.
   */
  checkpoint(): void {
    if (!this.#isChanged || this.#holder) return
    this.#isChanged = false
    this.#execute(checkpoint)
  }

  #next(): Batch | undefined {
    const at = this.#holder ? this.#waiting.findIndex(({ client }) => client === this.#holder) : 0
    return at < 0 ? undefined : this.#waiting.splice(at, 1)[0]
  }

  #execute(bytes: Buffer): Buffer {
    return Buffer.from(this.#pglite.execProtocolRawSync(bytes))
  }
}

/** A message of PostgreSQL's protocol. The startup message has no type. */
function withLength(type: string, content: string): Buffer {
  const message = Buffer.from(`${type}\0\0\0\0${content}`)
  message.writeUInt32BE(message.length - type.length, type.length)
  return message
}

// Reads the parts of PostgreSQL's protocol (version 3, "Frontend/Backend Protocol") that sharing one session requires.

/** The codes of requests that a client may send instead of the startup message. */
const [cancelCode, ...encryptionCodes] = [80877102, 80877103, 80877104]

/** The messages after which the database responds: Sync, Query, Flush, and a function call. */
const endings = new Set(['S', 'Q', 'H', 'F'])

/** A connection to the session. The names of its prepared statements get a prefix, because all connections share one set of names. */
export class PostgresConnection implements Responder {
  readonly #socket: Socket
  readonly #session: Session
  readonly #prefix: string
  #input: Buffer = Buffer.alloc(0)
  #messages: Buffer[] = []
  #hasStarted = false

  constructor(socket: Socket, session: Session, number: number) {
    this.#socket = socket
    this.#session = session
    this.#prefix = `${number}_`
    socket.on('data', (chunk) => this.#read(chunk))
    socket.on('error', () => socket.destroy())
    socket.on('close', () => session.leave(this, this.#prefix))
  }

  respond(response: Buffer): void {
    if (this.#socket.writable) this.#socket.write(response)
  }

  #read(chunk: Buffer): void {
    this.#input = this.#input.length === 0 ? chunk : Buffer.concat([this.#input, chunk])
    for (let message = this.#front(); message && this.#socket.writable; message = this.#front()) {
      this.#input = this.#input.subarray(message.length)
      if (this.#hasStarted) this.#take(message)
      else this.#start(message)
    }
  }

  #front(): Buffer | undefined {
    return frontMessage(this.#input, this.#hasStarted)
  }

  #start(message: Buffer): void {
    const request = firstRequest(message)
    if (request === 'encryption') this.respond(Buffer.from('N'))
    if (request === 'cancel') this.#socket.end()
    if (request !== 'start') return
    this.#hasStarted = true
    this.respond(this.#session.greeting)
  }

  #take(message: Buffer): void {
    const type = typeOf(message)
    if (type === 'X') {
      this.#socket.end()
      return
    }
    this.#messages.push(withPrefix(message, this.#prefix))
    if (!endings.has(type)) return
    const bytes = Buffer.concat(this.#messages)
    this.#messages = []
    this.#session.run({ client: this, bytes, isOpen: type === 'H' })
  }
}

/** What the first message of a connection asks for. */
function firstRequest(message: Buffer): 'cancel' | 'encryption' | 'start' {
  const code = message.readUInt32BE(4)
  if (code === cancelCode) return 'cancel'
  return encryptionCodes.includes(code) ? 'encryption' : 'start'
}

/** The message at the front of the input, or undefined while it is incomplete. After the first one, messages begin with a type. */
function frontMessage(input: Buffer, hasType: boolean): Buffer | undefined {
  const start = hasType ? 1 : 0
  if (input.length < start + 4) return undefined
  const end = start + Math.max(input.readUInt32BE(start), 4)
  return input.length < end ? undefined : input.subarray(0, end)
}

/** The type of a message, such as `Q`. */
const typeOf = (message: Buffer): string => message.toString('latin1', 0, 1)

/** The message with a prefix before the name of its prepared statement. Unnamed statements have none. */
function withPrefix(message: Buffer, prefix: string): Buffer {
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
