import type { IncomingMessage } from 'node:http'
import { clientIsGone } from '../data/requester.ts'
import type { Budget } from '../domain/budgets.ts'
import type { Session } from '../domain/sessions.ts'
import { Refusal } from '../errors.ts'
import { unexpectedError } from '../execution/mask.ts'
import { authenticate } from '../http/authentication.ts'
import { readBody } from '../http/body.ts'
import { rateLimitHeaders } from '../http/rate-limit.ts'
import type { HttpRequest } from '../http/request.ts'
import type { CountedMemory, SharedMemory } from '../http/shared-memory.ts'
import { type Authentication, type Context, CountedCaller, chargedTo, createContext } from '../schema/context.ts'
import type { App } from './app.ts'
import { RequestCaller } from './request-caller.ts'
import { RequestLine, requestIdOf } from './request-log.ts'
import type { RequestTurns } from './turns/request-turns.ts'
import type { Owner } from './turns/shared-lines.ts'

/** The maximum memory of the bodies and new documents of all requests in progress, in bytes. */
export const maxRequestMemory = 64 * 1024 * 1024

/** What the requests of a process share: turns, and the memory of their bodies and new documents. */
export type SharedByRequests = { readonly turns: RequestTurns; readonly memory: SharedMemory }

/** One request, from its arrival to its response. */
export class ServedRequest {
  readonly message: IncomingMessage
  readonly method: string
  /** Percent-encoded as sent, without the query. */
  readonly path: string
  /** Percent-encoded as sent, with its question mark. */
  readonly search: string
  readonly requestId: string
  readonly line: RequestLine
  readonly caller: RequestCaller
  readonly #app: App
  readonly #turns: RequestTurns
  readonly #memory: SharedMemory
  readonly #onStop: (refusal: Refusal) => void
  #held: CountedMemory | undefined
  /** Why it was stopped. Undefined if it was not. */
  #stopped: Refusal | undefined
  /** Whether an operation may have begun. */
  #hasBegun = false
  /** What it spends; undefined for a page, and where rate limits are off. */
  #budget: Budget | undefined
  #requester: Owner | undefined

  /** `onStop` must respond with the refusal of a request that is stopped. */
  constructor(
    message: IncomingMessage,
    app: App,
    { turns, memory }: SharedByRequests,
    onStop: (refusal: Refusal) => void,
  ) {
    const { method = 'GET', url = '/' } = message
    const queryAt = url.indexOf('?')
    this.message = message
    this.method = method
    this.path = queryAt < 0 ? url : url.slice(0, queryAt)
    this.search = queryAt < 0 ? '' : url.slice(queryAt)
    this.requestId = requestIdOf(message)
    this.line = new RequestLine(app.log, { requestId: this.requestId, method, path: this.path })
    this.caller = new RequestCaller(message, this.line, app.trustedProxies)
    this.#app = app
    this.#turns = turns
    this.#memory = memory
    this.#onStop = onStop
  }

  /** Finds who sent it. Errors become refusals, so that the response has the format of the API that was called. */
  async authenticate(): Promise<Authentication> {
    try {
      const { authorization } = this.message.headers
      const authentication = await authenticate(authorization, this.#app.sessions)
      this.chargeTo(authentication.session)?.requirePoints()
      return authentication
    } catch (error) {
      this.chargeTo(undefined)
      return { refusal: this.refusalOf(error) }
    }
  }

  /** Charges it to an account, or without a session to its address. The first call decides. */
  chargeTo(session: Session | undefined): Budget | undefined {
    this.#budget ??= this.#app.budgets?.of(chargedTo(session, this.caller))
    return this.#budget
  }

  /** The rate limit headers. Charges a refused request first. */
  async budgetHeaders(status: number): Promise<Readonly<Record<string, string>> | undefined> {
    const budget = this.#budget
    if (budget === undefined) return undefined
    if (this.method !== 'OPTIONS' && status < 500) await budget.settle()
    return rateLimitHeaders(await budget.balance())
  }

  /** Waits until the event loop has time for an expensive step. Returns undefined if it has time now. */
  readonly nextTurn = (): Promise<void> | undefined => {
    this.#requester ??= { account: this.caller.clientAddress(), hasToken: false }
    return this.#turns.next(this.#requester)
  }

  /** The request as the APIs see it. */
  asHttpRequest(authentication: Authentication): HttpRequest {
    const { message, method, path, search, requestId, caller } = this
    return {
      method,
      path,
      search,
      contentType: message.headers['content-type'],
      accept: message.headers.accept,
      idempotencyKey: message.headers['idempotency-key']?.toString(),
      ifMatch: message.headers['if-match'],
      ifNoneMatch: message.headers['if-none-match'],
      readBody: () => readBody(message, caller, this.#count()),
      authentication,
      execute: (authentication, work) => this.#execute(authentication, work),
      caller,
      requestId,
    }
  }

  /** The refusal that an error becomes. An unexpected error is logged and masked. */
  refusalOf(error: unknown): Refusal {
    const refusal = error instanceof Refusal ? error : unexpectedError(error, this.requestId, this.#app.log)
    return this.#stopped ?? refusal
  }

  /** Stops it because it took too long. */
  stopLate(): void {
    this.#stop('The request took too long.')
  }

  /** Gives up its work when its turn comes. The errors of its fields take milliseconds, and many clients may leave at once. */
  async giveUp(): Promise<void> {
    await this.nextTurn()
    this.caller.abort()
  }

  /** Frees what it holds. Call it when it has been handled. */
  end(): void {
    this.#held?.end()
  }

  #stop(reason: string): void {
    this.#stopped = this.#refusalOfStopped(reason)
    this.#onStop(this.#stopped)
    void this.giveUp()
  }

  /** The refusal of a request that was stopped. A write may still be applied afterwards. */
  #refusalOfStopped(reason: string): Refusal {
    if (!this.#hasBegun || this.method === 'GET' || this.method === 'HEAD')
      return new Refusal('UNAVAILABLE', `${reason} Try again later.`)
    const message = `${reason} If it writes, read the data to find out whether the write was applied.`
    return new Refusal('OUTCOME_UNKNOWN', message)
  }

  /** The memory that it takes. If it takes too much, it is stopped. */
  #count(): CountedMemory {
    this.#held ??= this.#memory.begin(this.caller.clientAddress(), () =>
      this.#stop(
        'The request was stopped to make room for others, because large bodies and documents take too much memory.',
      ),
    )
    return this.#held
  }

  #execute<T>(authentication: Authentication, work: (context: Context) => Promise<T>): Promise<T> {
    const requester = new CountedCaller(authentication.session, this.caller)
    this.#requester = requester
    // What it has not read of its body, it does not need. Only a connection that is read reveals that its client has left.
    if (!this.message.complete) this.message.resume()
    const start = () => {
      if (!this.message.socket.writable) throw clientIsGone()
      if (this.#stopped) throw this.#stopped
      if (this.caller.isAborted) throw clientIsGone()
      this.#hasBegun = true
      const { caller, requestId } = this
      const details = { ...authentication, requestId, caller, budget: this.#budget, requester }
      return work(createContext(this.#app, details))
    }
    return authentication.session ? this.#turns.inShare(requester, start) : this.#turns.inTurn(requester, start)
  }
}
