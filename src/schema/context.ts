import type { Client } from '../data/client.ts'
import type { Database } from '../data/database.ts'
import { unprepared } from '../data/prepared-statements.ts'
import type { Passwords } from '../domain/passwords.ts'
import type { Session, Sessions } from '../domain/sessions.ts'
import { Refusal } from '../errors.ts'
import { type Avatar, type ComposedRow, Reads, type Run } from '../reads/reads.ts'

/** What the whole process shares. */
export type Service = {
  readonly database: Database
  readonly sessions: Sessions
  readonly passwords: Passwords
  /** Whether strangers may create accounts. */
  readonly signUpIsOpen: boolean
  /** What avatars are made of. */
  readonly avatar: Avatar
}

/** Who waits for the answer to a request. */
export type Caller = {
  /** Aborted when the caller leaves before the answer is written, or has waited too long. */
  readonly signal: AbortSignal
  /** The address that the client is counted under, where passwords are hashed for it. */
  readonly clientAddress: () => string
}

/** What the resolvers of one request know. */
export type Context = Service &
  Caller & {
    /** What the bearer token stands for; undefined without one. */
    readonly session: Session | undefined
    /** The request's id (UUID), in its log lines, its answer's `X-Request-Id`, and in masked errors. */
    readonly requestId: string
    readonly reads: Reads
  }

/** Runs composed statements in a transaction. What clients compose is not prepared there, since nothing would ever close it. */
export function runIn(transaction: Client): Run {
  return ({ text, values, isOwn }) =>
    transaction.$queryRawUnsafe<ComposedRow[]>(isOwn ? text : `${unprepared}${text}`, ...values)
}

/** The viewer of a session, as reads see them. */
function viewerOf(session: Session | undefined) {
  return { id: session?.viewerId ?? null, readsEmail: session?.scopes.has('user.email') ?? false }
}

/** The context of one request. */
export function createContext(
  service: Service,
  session: Session | undefined,
  requestId: string,
  caller: Caller,
): Context {
  const { signal, clientAddress } = caller
  const database = service.database.for({ account: session?.viewerId ?? clientAddress(), signal })
  const reads = new Reads(database.runRead, viewerOf(session), service.avatar)
  return { ...service, database, session, requestId, signal, clientAddress, reads }
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
