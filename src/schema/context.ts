import type { Client } from '../data/client.ts'
import { type Access, accessWithin, type Database } from '../data/database.ts'
import { onlyOnPrimary, type Position } from '../data/position.ts'
import type { Requester } from '../data/requester.ts'
import type { MailSettings } from '../domain/accounts.ts'
import type { Budget } from '../domain/budgets.ts'
import type { RepeatableRequest } from '../domain/idempotency.ts'
import type { Passwords } from '../domain/passwords.ts'
import { type Session, type Sessions, seesHidden } from '../domain/sessions.ts'
import type { SignInLimits } from '../domain/sign-in-limits.ts'
import { Refusal } from '../errors.ts'
import { cheapCost } from '../reads/cost.ts'
import { type Avatar, Reads } from '../reads/reads.ts'
import type { ExecutableOperation } from '../reads/selection.ts'
import type { CompiledOperations } from '../reads/statement-cache.ts'

/** What all requests of a process share. */
export type Service = {
  readonly database: Database
  readonly sessions: Sessions
  readonly passwords: Passwords
  /** Slows down guesses of passwords; undefined where nothing is limited by rate. */
  readonly signInLimits?: SignInLimits | undefined
  /** Whether anybody may create an account. */
  readonly signUpIsOpen: boolean
  /** Whether mails are sent; undefined where none are. */
  readonly mail?: MailSettings | undefined
  /** For how many days after an account was deleted by its owner, signing in takes that back. */
  readonly deletionDelay: number
  /** What avatars are derived from. */
  readonly avatar: Avatar
}

/** Who sent a request. */
export type Identity = {
  /** The session of its bearer token. */
  readonly session?: Session | undefined
  /** Why its token is refused. */
  readonly refusal?: Refusal | undefined
  /** Its address; an IPv6 address as its /64 network. */
  readonly address: string
  /** What its work counts towards: the account of the token, or without one the address. */
  readonly account: string
}

/** What the log will say about a request. */
export type Notes = {
  /** The name of the operation that it runs, and whether that is one of the operator's or of Rookery's own. */
  operation: string | undefined
  isOperationKnown: boolean
  /** What its operations cost, in points. */
  cost: number | undefined
  /** The code of the first error of its response. */
  code: unknown
}

/** The client that waits for the response to a request, as either API knows it. */
export type Caller = {
  /** The id of the request (UUID), in log lines, in the response header `X-Request-Id` and in masked errors. */
  readonly id: string
  readonly identity: Identity
  /** What the request spends; undefined where rate limits are off. */
  readonly budget: Budget | undefined
  /** Its signal is aborted when the client disconnects before the response is written, or has waited too long. */
  readonly lifetime: { readonly signal: AbortSignal }
  readonly notes: Notes
  /** The position of the writes of the request, once they are done, if there are replicas. */
  position: Position | undefined
}

/** How a request asks for an operation. */
export type Asking = {
  /** The position that a replica must have for the reads of the operation. */
  readonly after?: Position | undefined
  /** Finds the key of a write that must run only once, if there is one. Throws `BAD_REQUEST` for an invalid key. */
  readonly repeatable?: () => RepeatableRequest | undefined
}

/** The context of the resolvers of one operation. */
export class Context<Operation = unknown> implements Requester {
  readonly service: Service
  readonly caller: Caller
  readonly operation: Operation
  readonly asking: Asking
  /** The database for this client, or within its transaction. */
  readonly database: Access
  /** Whether everything runs in one transaction, so that nothing is done if any of it fails. */
  readonly isInTransaction: boolean
  readonly account: string
  readonly lifetime: Caller['lifetime']
  readonly after: Position | undefined
  /** The accounts whose sessions the operation changes. They are forgotten after it. */
  readonly changedSessions: Set<string>
  /** What the operation costs, in points, once it has begun. */
  cost = 0
  #reads: Reads | undefined

  constructor(
    service: Service,
    caller: Caller,
    operation: Operation,
    asking: Asking = {},
    transaction?: Client,
    changedSessions = new Set<string>(),
  ) {
    this.service = service
    this.caller = caller
    this.operation = operation
    this.asking = asking
    this.account = caller.identity.account
    this.lifetime = caller.lifetime
    this.after = asking.after
    this.database = transaction ? accessWithin(transaction) : service.database.for(this)
    this.isInTransaction = transaction !== undefined
    this.changedSessions = changedSessions
  }

  /** The reads of the operation, once it has begun. */
  get reads(): Reads {
    if (!this.#reads) throw new TypeError('The operation has not begun')
    return this.#reads
  }

  /** The session of the request. Throws `UNAUTHENTICATED` without one, or the refusal of its token. */
  get session(): Session {
    const { session, refusal } = this.caller.identity
    if (!session) throw refusal ?? unauthenticated()
    return session
  }

  /** Begins the operation with its checked variables. */
  begin(executable: ExecutableOperation, compiled: CompiledOperations, cost: number): Reads {
    const { session } = this.caller.identity
    // Up to a position there may be a block that this process does not know yet.
    const maybeHides = this.after !== undefined && this.after !== onlyOnPrimary
    this.cost = cost
    this.#reads = new Reads(this.database, {
      executable,
      compiled,
      isCheap: cost <= cheapCost,
      viewer: session?.viewerId ?? null,
      token: session?.tokenId ?? null,
      readsEmail: session?.scopes.has('user.email') ?? false,
      followsMany: session?.followsMany ?? false,
      hides: session !== undefined && (session.hides || (maybeHides && !seesHidden(session.scopes))),
      avatar: this.service.avatar,
    })
    return this.#reads
  }

  /**
   * Prepares for a block or a mute: the viewer and others from whom something is hidden get new sessions, and what the operation reads from
   * now on leaves out what is hidden.
   */
  expectHidings(...others: readonly string[]): void {
    for (const account of [this.session.viewerId, ...others]) this.changedSessions.add(account)
    this.#reads = this.reads.hiding()
  }

  /** The same context inside a transaction. */
  within(transaction: Client): Context<Operation> {
    const inner = new Context(this.service, this.caller, this.operation, this.asking, transaction, this.changedSessions)
    inner.cost = this.cost
    inner.#reads = this.reads.within(inner.database)
    return inner
  }
}

/** `UNAUTHENTICATED` for a request without a token. */
export function unauthenticated(): Refusal {
  return new Refusal(
    'UNAUTHENTICATED',
    'This requires a bearer token. The GraphQL mutations signUp and signIn give one.',
  )
}
