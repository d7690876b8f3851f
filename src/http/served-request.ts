import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Config } from '../config.ts'
import { onlyOnPrimary, type Position } from '../data/position.ts'
import { clientIsGone } from '../data/requester.ts'
import type { Slots } from '../data/slots.ts'
import { isUnavailable } from '../data/unavailable.ts'
import { type Budget, type Budgets, secondsUntil } from '../domain/budgets.ts'
import type { Session } from '../domain/sessions.ts'
import { withoutTokens } from '../domain/tokens.ts'
import { Refusal } from '../errors.ts'
import type { Log } from '../log.ts'
import { refusalOf } from '../operations/mask.ts'
import type { RequestContext } from '../operations/pipeline.ts'
import { type Authentication, type Caller, chargedTo, type Service } from '../schema/context.ts'
import { authenticate } from './authentication.ts'
import { clientAddress } from './client-address.ts'
import type { Metrics, Surface } from './metrics.ts'
import { positionIn } from './position.ts'
import { readQuery } from './query.ts'
import { requestIdOf } from './request-id.ts'

/** The status in the log of a request whose client left before its response, as in that of nginx. */
const clientClosed = 499

/** The duration, in milliseconds, above which a request is logged as a warning. */
const slow = 1_000

/** The maximum length of a path in the log, longer than any that exists. */
const longestPath = 300

/** What a request depends on besides itself. */
export type RequestSettings = Service & {
  readonly log: Log
  /** What is measured; undefined where nothing is. */
  readonly metrics?: Metrics | undefined
  /** What every account and address may spend; undefined where rate limits are off. */
  readonly budgets?: Budgets | undefined
  /** The number of reverse proxies in front, each of which adds to `X-Forwarded-For`. */
  readonly trustedProxies: number
  /** What precedes all paths for clients, as in `Config`. */
  readonly prefix: string
  readonly timeouts: Pick<Config['timeouts'], 'response' | 'delivery'>
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The request as both APIs see it. */
    served: ServedRequest
    /** The text of a JSON body; undefined if it was not read. */
    bodyText: string | undefined
    /** Why the body was refused. */
    bodyRefusal: unknown
  }
}

/** One request, from its arrival to its response. */
export class ServedRequest implements Caller {
  readonly message: IncomingMessage
  readonly method: string
  /** Percent-encoded as sent, without the query. */
  readonly path: string
  /** Percent-encoded as sent, with its question mark. */
  readonly search: string
  readonly requestId: string
  /** What precedes the paths that clients see. */
  readonly prefix: string
  /** Who sent it, once `authenticate` has found out. */
  authentication: Authentication = {}
  /** Whether its response is being sent. */
  isAnswered = false
  /** Whether it is for a health check or a static file, and so logged at `debug`. */
  isMinor = false
  /** The API that it is for. */
  surface: Surface = 'other'
  /** The position of its writes, once they are done, if there are replicas. */
  position: Position | undefined
  /** What its operations cost, in points, once they may run. */
  cost: number | undefined
  readonly #settings: RequestSettings
  #since = performance.now()
  /** Since when it waits for changes, which counts as no time. */
  #pausedAt: number | undefined
  readonly #atEnd: (() => void)[] = []
  #query: URLSearchParams | undefined
  #timer: NodeJS.Timeout | undefined
  #controller: AbortController | undefined
  #restartDeadline: (() => void) | undefined
  /** What gives back the slots that it holds. */
  readonly #held = new Set<() => void>()
  #isOver = false
  /** Why it was stopped. Undefined if it was not. */
  #stopped: Refusal | undefined
  /** Whether an operation may have begun. */
  #hasBegun = false
  /** What it spends; undefined for a page, and where rate limits are off. */
  #budget: Budget | undefined
  #operation: string | undefined
  #isNameKnown = false
  #isNoted = false
  #code: string | undefined

  /** Ends with the response. */
  constructor(message: IncomingMessage, response: ServerResponse, settings: RequestSettings) {
    const { method = 'GET', url = '/' } = message
    const queryAt = url.indexOf('?')
    this.message = message
    this.method = method
    this.path = queryAt < 0 ? url : url.slice(0, queryAt)
    this.search = queryAt < 0 ? '' : url.slice(queryAt)
    this.requestId = requestIdOf(message)
    this.prefix = settings.prefix
    this.#settings = settings
    response.once('close', () => this.#end(response.writableFinished))
  }

  /** The parameters of the query string. Throws `BAD_REQUEST` for one that is not percent-encoded UTF-8. */
  get query(): URLSearchParams {
    this.#query ??= readQuery(this.search)
    return this.#query
  }

  /** Created on first use, because most requests end without it. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController()
    if (this.#isOver) this.#controller.abort()
    return this.#controller.signal
  }

  clientAddress(): string {
    return clientAddress(this.message, this.#settings.trustedProxies, this.#settings.log)
  }

  noteOperation(name: string, { isKnown }: { readonly isKnown: boolean }): void {
    this.#operation = name
    this.#isNameKnown = isKnown
  }

  notePosition(position: Position): void {
    this.position = position
  }

  noteCost(points: number): void {
    this.cost = (this.cost ?? 0) + points
  }

  /** Notes the code of the first error of the response, for the log. */
  noteCode(code: unknown): void {
    if (typeof code === 'string') this.#code ??= code
  }

  /**
   * Finds who sent it. What is wrong with the token becomes the `refusal` of the authentication. While the database does not respond, what
   * was found before counts.
   */
  async authenticate(): Promise<Authentication> {
    try {
      const { authorization } = this.message.headers
      this.authentication = await authenticate(authorization, this.#settings.sessions)
      this.chargeTo(this.authentication.session)?.requirePoints()
    } catch (error) {
      if (this.authentication.session && isUnavailable(error)) return this.authentication
      this.chargeTo(undefined)
      this.authentication = { refusal: this.refusalOf(error) }
    }
    return this.authentication
  }

  /** Charges it to an account, or without a session to its address. The first call decides. */
  chargeTo(session: Session | undefined): Budget | undefined {
    this.#budget ??= this.#settings.budgets?.of(chargedTo(session, this))
    return this.#budget
  }

  /** Takes a slot of its account, or without a token of its address, until its response is delivered. Rejects with `UNAVAILABLE` if it may not start. */
  async begin(slots: Slots): Promise<void> {
    // Drain the body: Node notices a closed socket only while reading.
    if (!this.message.complete) this.message.resume()
    // Its response takes memory until it is delivered.
    this.hold(await slots.take(chargedTo(this.authentication.session, this)))
    if (this.#stopped) throw this.#stopped
    if (this.#isOver || !this.message.socket.writable) throw clientIsGone()
    this.#hasBegun = true
  }

  /** Gives a slot back when it is over or stopped, or when it waits. */
  hold(giveBack: () => void): void {
    if (this.#isOver) giveBack()
    else this.#held.add(giveBack)
  }

  /** Gives all its slots back. */
  release(): void {
    for (const giveBack of this.#held) giveBack()
    this.#held.clear()
  }

  /** Waits without any slot or deadline. The deadline begins again afterwards. */
  async wait<T>(until: () => Promise<T>): Promise<T> {
    const began = performance.now()
    this.#pausedAt = began
    clearTimeout(this.#timer)
    this.release()
    const result = await until()
    this.#pausedAt = undefined
    this.#since += performance.now() - began
    this.#restartDeadline?.()
    return result
  }

  /** What it brings into the pipeline. The queries of a write see all other writes. Throws `BAD_REQUEST` for a malformed `Rookery-After`. */
  context(repeatable: RequestContext['repeatable'] = () => undefined, { isWrite = false } = {}): RequestContext {
    const { authentication, requestId, message } = this
    const after = isWrite ? onlyOnPrimary : positionIn(message.headers['rookery-after']?.toString())
    return { ...authentication, caller: this, requestId, budget: this.#budget, after, repeatable }
  }

  /** The refusal that an error becomes. An unexpected error is logged and masked. */
  refusalOf(error: unknown): Refusal {
    return this.#stopped ?? refusalOf(error, this.requestId, this.#settings.log)
  }

  /** The headers that tell its budget and what is left of it (draft-ietf-httpapi-ratelimit-headers). Charges a refused request first. */
  async budgetHeaders(status: number): Promise<Readonly<Record<string, string>>> {
    const budget = this.#budget
    if (budget === undefined) return {}
    if (this.method !== 'OPTIONS' && status < 500) await budget.settle()
    const { limit, window, remaining, resetsAt } = await budget.balance()
    return {
      ratelimit: `"default";r=${remaining};t=${secondsUntil(resetsAt)}`,
      'ratelimit-policy': `"default";q=${limit};w=${window}`,
    }
  }

  /** Counts it and its response once, and logs them, as a warning if it took long. */
  noteAnswer(status: number): void {
    if (this.#isNoted) return
    this.#isNoted = true
    const { log, metrics } = this.#settings
    const time = (this.#pausedAt ?? performance.now()) - this.#since
    const ms = Math.round(time)
    const { requestId, method, surface } = this
    const [operation, code, cost] = [this.#operation, this.#code, this.cost]
    const name = this.#isNameKnown ? operation : undefined
    metrics?.count({ surface, operation: name, status, code, seconds: time / 1_000 })
    const level = ms > slow ? 'warn' : this.isMinor ? 'debug' : 'info'
    if (!log.isLevelEnabled(level)) return
    const [path, viewer] = [withoutTokens(this.path).slice(0, longestPath), this.authentication.session?.viewerId]
    log[level]({ requestId, method, path, operation, viewer, status, code, cost, ms }, 'answered')
  }

  /** Calls a function after this many milliseconds, unless it is over by then. Replaces the previous deadline. */
  setDeadline(milliseconds: number, pass: () => void): void {
    clearTimeout(this.#timer)
    if (!this.#isOver) this.#timer = setTimeout(pass, milliseconds)
    this.#restartDeadline = () => this.setDeadline(milliseconds, pass)
  }

  /** Calls a function when it is over, at once if it is. */
  atEnd(callback: () => void): void {
    if (this.#isOver) callback()
    else this.#atEnd.push(callback)
  }

  /** Stops it because it took too long, and returns the refusal to respond with. A write may still be applied afterwards. */
  stop(): Refusal {
    const mayWrite = this.#hasBegun && this.method !== 'GET' && this.method !== 'HEAD'
    const late = 'The request took too long.'
    const advice = 'If it writes, read the data to find out whether the write was applied.'
    this.#stopped = mayWrite
      ? new Refusal('OUTCOME_UNKNOWN', `${late} ${advice}`)
      : new Refusal('UNAVAILABLE', `${late} Try again later.`)
    this.#controller?.abort()
    this.release()
    return this.#stopped
  }

  /** Ends it when its response has been delivered, or nobody waits for it any more. */
  #end(isDelivered: boolean): void {
    clearTimeout(this.#timer)
    this.#isOver = true
    if (!isDelivered) {
      this.#controller?.abort()
      this.noteAnswer(clientClosed)
    }
    this.release()
    for (const callback of this.#atEnd) callback()
  }
}
