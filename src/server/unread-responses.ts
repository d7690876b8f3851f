import type { ServerResponse } from 'node:http'

/** The most bytes of responses that may wait for their clients, in the whole process. */
const maxUnread = 64 * 1024 * 1024

/** Limits the responses that clients have not received yet: destroys those that take too long, and the largest ones when they exceed the total. */
export class UnreadResponses {
  readonly #timeout: number
  /** The responses, and how many bytes their bodies have. */
  readonly #unread = new Map<ServerResponse, number>()

  /** The timeout is in milliseconds. */
  constructor(timeout: number) {
    this.#timeout = timeout
  }

  /** Watches a response that was written with a body of this many bytes. Node.js itself counts the characters of a text. */
  watch(response: ServerResponse, bytes: number): void {
    if (response.writableLength === 0) return
    const timer = setTimeout(() => response.destroy(), this.#timeout)
    this.#unread.set(response, bytes)
    response.once('close', () => {
      clearTimeout(timer)
      this.#unread.delete(response)
    })
    this.#enforceLimit()
  }

  #enforceLimit(): void {
    let excess = [...this.#unread.values()].reduce((sum, bytes) => sum + bytes, -maxUnread)
    if (excess <= 0) return
    for (const [response, bytes] of [...this.#unread].sort(([, a], [, b]) => b - a)) {
      if (excess <= 0) return
      excess -= bytes
      response.destroy()
    }
  }
}
