import type { ServerResponse } from 'node:http'
import { SharedMemory } from '../http/shared-memory.ts'
import type { Caller } from '../schema/context.ts'

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
   * Watches a response that was written with a body of this many bytes. Node.js itself counts the characters of a text. It must be the first
   * response of its connection that is not finished: those that wait behind others do not close with the connection.
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
