import type { Client } from '../data/client.ts'
import type { Database } from '../data/database.ts'
import type { Session, Sessions } from '../domain/sessions.ts'
import { Refusal } from '../errors.ts'
import { type ComposedRow, Reads, type Run } from '../reads/reads.ts'

/** What the whole process shares. */
export type Service = {
  readonly database: Database
  readonly sessions: Sessions
  /** Whether strangers may create accounts. */
  readonly signUpIsOpen: boolean
}

/** What the resolvers of one request know. */
export type Context = Service & {
  /** What the bearer token stands for; undefined without one. */
  readonly session: Session | undefined
  /** The request's id (UUID), in its log lines, its answer's `X-Request-Id`, and in masked errors. */
  readonly requestId: string
  readonly reads: Reads
}

/** Runs composed statements in a transaction. */
export function runIn(transaction: Client): Run {
  return (text, values) => transaction.$queryRawUnsafe<ComposedRow[]>(text, ...values)
}

/** The viewer of a session, as reads see them. */
function viewerOf(session: Session | undefined) {
  return { id: session?.viewerId ?? null, readsEmail: session?.scopes.has('user.email') ?? false }
}

/** The context of one request. */
export function createContext(service: Service, session: Session | undefined, requestId: string): Context {
  const reads = new Reads(service.database.run, viewerOf(session))
  return { ...service, session, requestId, reads }
}

/** The session, in resolvers of fields that need one. Throws `UNAUTHENTICATED`. */
export function sessionOf({ session }: Context): Session {
  if (!session) throw unauthenticated()
  return session
}

/** `UNAUTHENTICATED` for what needs a token when there is none. */
export function unauthenticated(): Refusal {
  return new Refusal('UNAUTHENTICATED', 'This needs a bearer token.')
}
