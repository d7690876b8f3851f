import type { PGlite } from '@electric-sql/pglite'

/** Receives the responses to its batches. */
export type Responder = { respond(response: Buffer): void }

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
