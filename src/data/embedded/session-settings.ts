import type { Client, Session } from './session.ts'

/** Reads the settings of the session as statements that restore them. Settings of a transaction have ended by then. */
const setAgain = `
  SELECT coalesce(string_agg(format('SELECT pg_catalog.set_config(%L, %L, false)', name, setting), '; ') || '; ', '')
    || format('SET ROLE %I', current_setting('role'))
  FROM pg_catalog.pg_settings WHERE source = 'session'`

/**
 * Isolates the settings of a client, such as a `search_path`, from other clients of the session. Rookery's own clients only use the
 * settings that the session starts with, so their turns are free unless another program is connected.
 */
export class SessionSettings {
  readonly #session: Session
  readonly #set = new WeakMap<Client, string>()
  #present: Client | undefined

  constructor(session: Session) {
    this.#session = session
  }

  /** Replaces the settings of the previous client with those of this one. */
  enter(client: Client): void {
    const next = client.isBuiltIn ? undefined : client
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
