import type { Client, Session } from './session.ts'

/** What was set in the session, as statements that set it again; the settings of a transaction have ended by then. */
const setAgain = `
  SELECT coalesce(string_agg(format('SELECT pg_catalog.set_config(%L, %L, false)', name, setting), '; ') || '; ', '')
    || format('SET ROLE %I', current_setting('role'))
  FROM pg_catalog.pg_settings WHERE source = 'session'`

/**
 * Keeps what a client sets, say a `search_path`, from the other clients of the session. Rookery's own clients set nothing but what the
 * session begins with, so a turn of theirs costs nothing here unless another program is connected too.
 */
export class SessionSettings {
  readonly #session: Session
  readonly #set = new WeakMap<Client, string>()
  #present: Client | undefined

  constructor(session: Session) {
    this.#session = session
  }

  /** Puts the client's settings in place of those of whoever had the turn before. */
  enter(client: Client): void {
    const next = client.isOwn ? undefined : client
    if (next === this.#present) return
    if (this.#present) {
      this.#set.set(this.#present, this.#session.valueOf(setAgain) ?? '')
      this.#session.valueOf('RESET SESSION AUTHORIZATION; RESET ROLE; RESET ALL')
    }
    const own = next && this.#set.get(next)
    if (own) this.#session.valueOf(own)
    this.#present = next
  }
}
