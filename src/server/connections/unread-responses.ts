import type { ServerResponse } from 'node:http'
import { SharedMemory } from '../../http/shared-memory.ts'
import type { Caller } from '../../schema/context.ts'

/** The most bytes of responses that may wait for their clients, in the whole process. */
const maxUnread = 64 * 1024 * 1024

/** Limits the responses that clients have not received yet: destroys those that take too long or too much memory. */
export class UnreadResponses {
  readonly #timeout: number
  readonly #memory = new SharedMemory(maxUnread)

  /** The timeout is in milliseconds. */
  constructor(timeout: number) {
    this.#timeout = timeout
  }

  /**
   * Watches a response that was written with a body of this many bytes. Node.js itself counts the characters of a text. The response must
   * be the one that its connection is sending: Node.js does not emit `close` for those behind it.
   */
  watch(response: ServerResponse, caller: Pick<Caller, 'clientAddress'>, bytes: number): void {
    if (response.writableLength === 0) return
    const counted = this.#memory.begin(caller.clientAddress(), () => response.destroy())
    const timer = setTimeout(() => response.destroy(), this.#timeout)
    response.once('close', () => {
      clearTimeout(timer)
      counted.end()
    })
    counted.resize(bytes)
  }
}
