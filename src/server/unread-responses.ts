import type { ServerResponse } from 'node:http'

/** The most bytes of responses that may wait for their clients, in the whole process. */
const maxUnread = 64 * 1024 * 1024

/** Limits the responses that clients have not received yet: destroys those that take too long, and the largest ones when they exceed the total. */
export class UnreadResponses {
  readonly #timeout: number
  readonly #unread = new Set<ServerResponse>()

  /** The timeout is in milliseconds. */
  constructor(timeout: number) {
    this.#timeout = timeout
  }

  /** Watches a response that was written. */
  watch(response: ServerResponse): void {
    if (response.writableLength === 0) return
    const timer = setTimeout(() => response.destroy(), this.#timeout)
    this.#unread.add(response)
    response.once('close', () => {
      clearTimeout(timer)
      this.#unread.delete(response)
    })
    this.#enforceLimit()
  }

  #enforceLimit(): void {
    const sizes = [...this.#unread].map((response) => ({ response, size: response.writableLength }))
    sizes.sort((a, b) => b.size - a.size)
    let excess = sizes.reduce((sum, { size }) => sum + size, -maxUnread)
    for (const { response, size } of sizes) {
      if (excess <= 0) return
      excess -= size
      response.destroy()
    }
  }
}
