import type { Client } from '../data/client.ts'
import { accessWithin, type Database } from '../data/database.ts'
import type { Position } from '../data/position.ts'
import type { Budget } from '../domain/budgets.ts'
import type { Passwords } from '../domain/passwords.ts'
import type { Session, Sessions } from '../domain/sessions.ts'
import type { SignInLimits } from '../domain/sign-in-limits.ts'
import { Refusal } from '../errors.ts'
import { type Avatar, Reads } from '../reads/reads.ts'

/** What all requests of a process share. */
export type Service = {
  readonly database: Database
  readonly sessions: Sessions
  readonly passwords: Passwords
  /** Slows down guesses of passwords; undefined where nothing is limited by rate. */
  readonly signInLimits?: SignInLimits | undefined
  /** Whether anybody may create an account. */
  readonly signUpIsOpen: boolean
  /** What avatars are derived from. */
  readonly avatar: Avatar
}

/** The client that waits for the response to a request. */
export type Caller = {
  /** Aborted when the client disconnects before the response is written, or has waited too long. Created on first use. */
  readonly signal: AbortSignal
  /** The address that work of the client counts towards; an IPv6 address as its /64 network. */
  clientAddress(): string
  /** Notes the name of the operation that the request runs, and whether it is one of the operator's or of Rookery's own. */
  noteOperation(name: string, its: { readonly isKnown: boolean }): void
  /** Notes the points that an operation of the request costs, for the log. */
  noteCost(points: number): void
  /** Notes the code of the first error of the response, for the log. */
  noteCode(code: unknown): void
  /** Notes the position of the writes of the request, for its response. */
  notePosition(position: Position): void
}

/** Who sent a request: the session of its bearer token, or why the token is refused. Neither without a token. */
export type Authentication = {
  readonly session?: Session | undefined
  readonly refusal?: Refusal | undefined
}

/** The context of the resolvers of one request. */
export type Context = Service & {
  readonly caller: Caller
  /** The session of the bearer token; undefined without one, or with one that is refused. */
  readonly session: Session | undefined
  /** The error of a field that requires a token, where there is no session. */
  readonly unauthenticated: () => Refusal
  /** The id of the request (UUID), in log lines, in the response header `X-Request-Id` and in masked errors. */
  readonly requestId: string
  readonly reads: Reads
  /** Whether everything runs in one transaction, so that nothing is done if any of it fails. */
  readonly isInTransaction: boolean
  /** What the request spends; undefined where rate limits are off. */
  readonly budget: Budget | undefined
  /** The position that a replica must have for the reads of the request. */
  readonly after?: Position | undefined
}

/** What the work for a caller counts towards: the account of the token, or without one the address. */
export function chargedTo(session: Session | undefined, caller: Caller): string {
  return session?.viewerId ?? caller.clientAddress()
}

/** One request of either API. */
export type RequestDetails = Authentication & Pick<Context, 'requestId' | 'caller' | 'budget' | 'after'>

/** The context of one request. */
export function createContext(service: Service, request: RequestDetails): Context {
  const { session, refusal, requestId, caller, budget, after } = request
  const database = service.database.for({ account: chargedTo(session, caller), caller, after })
  const access = { read: database.read.run, write: database.write.read }
  const viewer = {
    id: session?.viewerId ?? null,
    readsEmail: session?.scopes.has('user.email') ?? false,
    followsMany: session?.followsMany ?? false,
  }
  const reads = new Reads(access, viewer, service.avatar)
  return {
    ...service,
    database,
    session,
    unauthenticated: () => refusal ?? unauthenticated(),
    requestId,
    caller,
    reads,
    isInTransaction: false,
    budget,
  }
}

/** The same context inside a transaction. */
export function contextWithin(transaction: Client, context: Context): Context {
  const { read, write } = accessWithin(transaction)
  const reads = context.reads.within({ read: read.run, write: write.read })
  return { ...context, database: { ...context.database, read, write }, reads, isInTransaction: true }
}

/** The session of a request, for resolvers that require one. Throws `UNAUTHENTICATED`. */
export function sessionOf({ session, unauthenticated }: Context): Session {
  if (!session) throw unauthenticated()
  return session
}

/** `UNAUTHENTICATED` for a request without a token. */
export function unauthenticated(): Refusal {
  return new Refusal(
    'UNAUTHENTICATED',
    'This requires a bearer token. The GraphQL mutations signUp and signIn give one.',
  )
}
