import type { IncomingMessage } from 'node:http'
import type { Caller } from '../schema/context.ts'
import { clientAddress } from './connections/client-address.ts'
import type { RequestLine } from './request-log.ts'

/** The client of one request. Its signal is created on first use, because most requests end without it. */
export class RequestCaller implements Caller {
  readonly #message: IncomingMessage
  readonly #line: RequestLine
  readonly #trustedProxies: number
  #isAborted = false
  #controller: AbortController | undefined

  constructor(message: IncomingMessage, line: RequestLine, trustedProxies: number) {
    this.#message = message
    this.#line = line
    this.#trustedProxies = trustedProxies
  }

  /** Tells that the client is gone, has waited too long, or takes too much memory. */
  abort(): void {
    this.#isAborted = true
    this.#controller?.abort()
  }

  /** Whether nobody waits for the response any more. */
  get isAborted(): boolean {
    return this.#isAborted
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController()
    if (this.#isAborted) this.#controller.abort()
    return this.#controller.signal
  }

  clientAddress(): string {
    return clientAddress(this.#message, this.#trustedProxies)
  }

  noteOperation(name: string): void {
    this.#line.noteOperation(name)
  }
}
