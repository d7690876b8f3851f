import type { Budget } from '../auth/budgets.ts'
import type { TokenCache, Viewer } from '../auth/viewers.ts'
import { cheapCost } from '../compiler/cost.ts'
import type { Reader } from '../compiler/field-reads.ts'
import { OperationReads } from '../compiler/operation-reads.ts'
import type { CompiledOperations } from '../compiler/plans.ts'
import type { ExecutableOperation } from '../compiler/selection.ts'
import { batching } from '../data/batches.ts'
import type { Client } from '../data/client.ts'
import { type Access, accessWithin, type Database } from '../data/database.ts'
import type { Prisma } from '../data/generated/prisma/client.ts'
import { onlyOnPrimary, type RequestInfo, type WalPosition } from '../data/request-info.ts'
import { Refusal } from '../errors.ts'
import type { RepeatableRequest } from './idempotency.ts'

/** What all requests of a process share. An application adds what its resolvers need. */
export interface Services {
  readonly database: Database
  readonly viewers: TokenCache
  /**
   * For whom the statements of a viewer's operations are compiled. `mayBeBehind` is whether this process may not know yet what it
   * may not see.
   */
  readonly readerOf: (viewer: Viewer | undefined, mayBeBehind: boolean) => Reader
  /** The SQL of whether a viewer may no longer see the `result` of the time `created_at`, which is JSON. */
  readonly isResultHidden: (viewer: Viewer) => Prisma.Sql
}

/** An HTTP request as both APIs know it. */
export type ApiRequest = {
  /** Its id (UUID), in log lines, in the response header `X-Request-Id` and in masked errors. */
  readonly id: string
  /** Whose bearer token it has; undefined without a valid one. */
  readonly viewer: Viewer | undefined
  /** Why its token is refused. */
  readonly tokenRefusal: Refusal | undefined
  /** The address that sent it; an IPv6 address as its /64 network. */
  readonly address: string
  /** What its work counts towards: the uuid of the viewer, or without one the address. */
  readonly rateLimitKey: string
  /** What it spends; undefined if it is free. */
  readonly budget: Budget | undefined
  /** Its signal is aborted when the client disconnects before the response is written, or has waited too long. */
  readonly lifetime: { readonly signal: AbortSignal }
  /** The position of its writes, once they are done, if there are replicas. */
  position: WalPosition | undefined
}

/** How a request runs an operation. */
type RunOptions = {
  /** The position that a replica must have for the reads of the operation. */
  readonly after?: WalPosition | undefined
  /** Finds the key of a write that must run only once, if there is one. Throws `BAD_REQUEST` for an invalid key. */
  readonly repeatable?: () => RepeatableRequest | undefined
}

/** The context of the resolvers of one operation. */
export class RequestContext<Operation = unknown> implements RequestInfo {
  readonly services: Services
  /** The request. Yoga would take a property `request` for the one of its own HTTP server, and check it again. */
  readonly apiRequest: ApiRequest
  readonly operation: Operation
  readonly options: RunOptions
  /** The database for this client, or within its transaction. */
  readonly database: Access
  /** Whether everything runs in one transaction, so that nothing is done if any of it fails. */
  readonly isInTransaction: boolean
  readonly rateLimitKey: string
  readonly lifetime: ApiRequest['lifetime']
  readonly after: WalPosition | undefined
  /** The accounts whose tokens the operation ends, or from which it hides something. This process looks them up again after it. */
  readonly changedAccounts: Set<string>
  /** What the operation costs, in points, once it has begun. */
  cost = 0
  #reads: OperationReads | undefined

  constructor(
    services: Services,
    apiRequest: ApiRequest,
    operation: Operation,
    options: RunOptions = {},
    transaction?: Client,
    changedAccounts = new Set<string>(),
  ) {
    this.services = services
    this.apiRequest = apiRequest
    this.operation = operation
    this.options = options
    this.rateLimitKey = apiRequest.rateLimitKey
    this.lifetime = apiRequest.lifetime
    this.after = options.after
    this.database = transaction ? accessWithin(transaction) : services.database.for(this)
    this.isInTransaction = transaction !== undefined
    this.changedAccounts = changedAccounts
  }

  /** The reads of the operation, once it has begun. */
  get reads(): OperationReads {
    if (!this.#reads) throw new TypeError('The operation has not begun')
    return this.#reads
  }

  /** The viewer. Throws `UNAUTHENTICATED` without one. */
  get viewer(): Viewer {
    return requireViewer(this.apiRequest)
  }

  /** Begins the operation with its checked variables. */
  startExecution(
    executable: ExecutableOperation,
    compiled: CompiledOperations,
    { cost, isOfFeed }: { readonly cost: number; readonly isOfFeed: boolean },
  ): OperationReads {
    const { viewer } = this.apiRequest
    // Up to a position, or that of the feed, there may be a change that this process does not know yet.
    const mayBeBehind = isOfFeed || (this.after !== undefined && this.after !== onlyOnPrimary)
    this.cost = cost
    this.#reads = new OperationReads(this.database, {
      executable,
      compiled,
      batching,
      isCheap: cost <= cheapCost,
      reader: this.services.readerOf(viewer, mayBeBehind),
    })
    return this.#reads
  }

  /** Lets the operation read as somebody else from now on. */
  readAs(reader: Reader): void {
    this.#reads = this.reads.as(reader)
  }

  /** The same context inside a transaction. */
  within(transaction: Client): RequestContext<Operation> {
    const { services, apiRequest, operation, options, changedAccounts } = this
    const inner = new RequestContext(services, apiRequest, operation, options, transaction, changedAccounts)
    inner.cost = this.cost
    inner.#reads = this.reads.within(inner.database)
    return inner
  }
}

/** The viewer of a request. Throws `UNAUTHENTICATED` without one, or the refusal of its token. */
export function requireViewer({ viewer, tokenRefusal }: Pick<ApiRequest, 'viewer' | 'tokenRefusal'>): Viewer {
  if (!viewer) throw tokenRefusal ?? unauthenticated()
  return viewer
}

/** `UNAUTHENTICATED` for a request without a token. */
export function unauthenticated(): Refusal {
  return new Refusal(
    'UNAUTHENTICATED',
    'This requires a bearer token. The GraphQL mutations signUp and signIn, and POST /user and POST /session in REST, give one.',
  )
}
