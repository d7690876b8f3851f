import type { IncomingMessage } from 'node:http'
import { clientIsGone } from '../data/requester.ts'
import type { Slots } from '../data/slots.ts'
import type { Budget } from '../domain/budgets.ts'
import type { Session } from '../domain/sessions.ts'
import { Refusal } from '../errors.ts'
import { unexpectedError } from '../execution/mask.ts'
import { authenticate } from '../http/authentication.ts'
import { readBody } from '../http/body.ts'
import { rateLimitHeaders } from '../http/rate-limit.ts'
import type { HttpRequest } from '../http/request.ts'
import { type Authentication, type Caller, type Context, chargedTo, createContext } from '../schema/context.ts'
import type { App } from './app.ts'
import { clientAddress } from './connections/client-address.ts'
import { RequestLine, requestIdOf } from './request-log.ts'

/** How many requests of an account, or without a token of an address, are in progress at once. More wait, for so many milliseconds. */
export const requestSlots = { atOnce: 8, waiting: 64, waitTimeout: 2_000 } as const

/** One request, from its arrival to its response. */
export class ServedRequest implements Caller {
  readonly message: IncomingMessage
  readonly method: string
  /** Percent-encoded as sent, without the query. */
  readonly path: string
  /** Percent-encoded as sent, with its question mark. */
  readonly search: string
  readonly requestId: string
  readonly line: RequestLine
  readonly #app: App
  readonly #slots: Slots
  readonly #atEnd: (() => void)[] = []
  #timer: NodeJS.Timeout | undefined
  #controller: AbortController | undefined
  #giveBack: (() => void) | undefined
  #isOver = false
  /** Why it was stopped. Undefined if it was not. */
  #stopped: Refusal | undefined
  /** Whether an operation may have begun. */
  #hasBegun = false
  /** What it spends; undefined for a page, and where rate limits are off. */
  #budget: Budget | undefined

  constructor(message: IncomingMessage, app: App, slots: Slots) {
    const { method = 'GET', url = '/' } = message
    const queryAt = url.indexOf('?')
    this.message = message
    this.method = method
    this.path = queryAt < 0 ? url : url.slice(0, queryAt)
    this.search = queryAt < 0 ? '' : url.slice(queryAt)
    this.requestId = requestIdOf(message)
    this.line = new RequestLine(app.log, { requestId: this.requestId, method, path: this.path })
    this.#app = app
    this.#slots = slots
  }

  /** Created on first use, because most requests end without it. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController()
    if (this.#isOver) this.#controller.abort()
    return this.#controller.signal
  }

  clientAddress(): string {
    return clientAddress(this.message, this.#app.trustedProxies)
  }

  noteOperation(name: string): void {
    this.line.noteOperation(name)
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
    this.#budget ??= this.#app.budgets?.of(chargedTo(session, this))
    return this.#budget
  }

  /** The rate limit headers. Charges a refused request first. */
  async budgetHeaders(status: number): Promise<Readonly<Record<string, string>> | undefined> {
    const budget = this.#budget
    if (budget === undefined) return undefined
    if (this.method !== 'OPTIONS' && status < 500) await budget.settle()
    return rateLimitHeaders(await budget.balance())
  }

  /** The request as the APIs see it. */
  asHttpRequest(authentication: Authentication): HttpRequest {
    const { message, method, path, search, requestId } = this
    return {
      method,
      path,
      search,
      contentType: message.headers['content-type'],
      accept: message.headers.accept,
      idempotencyKey: message.headers['idempotency-key']?.toString(),
      ifMatch: message.headers['if-match'],
      ifNoneMatch: message.headers['if-none-match'],
      readBody: () => readBody(message),
      authentication,
      execute: (authentication, work) => this.#execute(authentication, work),
      caller: this,
      requestId,
    }
  }

  /** The refusal that an error becomes. An unexpected error is logged and masked. */
  refusalOf(error: unknown): Refusal {
    const refusal = error instanceof Refusal ? error : unexpectedError(error, this.requestId, this.#app.log)
    return this.#stopped ?? refusal
  }

  /** Calls a function after so many milliseconds, unless it is over by then. Replaces the deadline before. */
  setDeadline(milliseconds: number, pass: () => void): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(pass, milliseconds)
  }

  /** Calls a function when it is over, at once if it is. */
  atEnd(callback: () => void): void {
    if (this.#isOver) callback()
    else this.#atEnd.push(callback)
  }

  /** Ends it when its response has been delivered, or nobody waits for it any more. */
  end(isDelivered: boolean): void {
    clearTimeout(this.#timer)
    if (this.#isOver) return
    this.#isOver = true
    if (!isDelivered) this.#controller?.abort()
    for (const callback of this.#atEnd) callback()
  }

  /** Stops it because it took too long, and returns the refusal to respond with. A write may still be applied afterwards. */
  stop(): Refusal {
    const mayWrite = this.#hasBegun && this.method !== 'GET' && this.method !== 'HEAD'
    const late = 'The request took too long.'
    const advice = 'If it writes, read the data to find out whether the write was applied.'
    this.#stopped = mayWrite
      ? new Refusal('OUTCOME_UNKNOWN', `${late} ${advice}`)
      : new Refusal('UNAVAILABLE', `${late} Try again later.`)
    this.end(false)
    this.#giveBack?.()
    return this.#stopped
  }

  async #execute<T>(authentication: Authentication, work: (context: Context) => Promise<T>): Promise<T> {
    // What it has not read of its body, it does not need. Only a connection that is read reveals that its client has left.
    if (!this.message.complete) this.message.resume()
    const giveBack = await this.#slots.take(chargedTo(authentication.session, this))
    this.#giveBack = giveBack
    try {
      if (this.#stopped) throw this.#stopped
      if (this.#isOver || !this.message.socket.writable) throw clientIsGone()
      this.#hasBegun = true
      const { requestId } = this
      const details = { ...authentication, requestId, caller: this, budget: this.#budget }
      return await work(createContext(this.#app, details))
    } finally {
      // Until then, its response takes memory.
      this.atEnd(giveBack)
    }
  }
}
