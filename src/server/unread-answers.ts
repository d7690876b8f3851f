import type { ServerResponse } from 'node:http'

/** How many bytes of answers may wait for their clients to read them, in the whole process. */
const maxUnread = 64 * 1024 * 1024

/** The answers that their clients have not read yet. Those are ended that take too long, and the largest when they are too much together. */
export class UnreadAnswers {
  readonly #patience: number
  readonly #unread = new Set<ServerResponse>()

  /** The time that a client has to read an answer is in milliseconds. */
  constructor(patience: number) {
    this.#patience = patience
  }

  /** Watches an answer that was written. */
  watch(response: ServerResponse): void {
    if (response.writableLength === 0) return
    const timer = setTimeout(() => response.destroy(), this.#patience)
    this.#unread.add(response)
    response.once('close', () => {
      clearTimeout(timer)
      this.#unread.delete(response)
    })
    this.#makeRoom()
  }

  #makeRoom(): void {
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
