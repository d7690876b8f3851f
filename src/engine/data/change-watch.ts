import { AsyncResource } from 'node:async_hooks'
import { setImmediate as immediate, setTimeout as sleep } from 'node:timers/promises'
import pLimit from 'p-limit'
import type { Hints } from './backend.ts'
import { KeyedSemaphore } from './keyed-semaphore.ts'
import { batchSizes } from './pooled-backend.ts'

/** How often it looks for changes while anybody waits, in milliseconds, in case nothing wakes it. */
const interval = 200

/** The shortest time between two hints to other processes, in milliseconds. */
const hintPause = 50

/**
 * The pause between two looks, so that other requests get their turn: at least this many milliseconds, and this part of the time
 * that the reads of streams took.
 */
const pause = { least: 20, part: 1 / 4 } as const

/** After every id. */
const endOfIds = 'g'

/** How many requests and streams of an account may wait for changes at the same time. */
export const waitingForChanges = 10

/** Something that waits for changes after an id. `end` gets whether there may be some. */
type Waiting = { readonly id: string; readonly end: (isMore: boolean) => void }

/** The newest change that readers see, and whether there are newer ones that they will see later. */
export type Newest = { readonly id: string; readonly isMore: boolean }

/** Wakes the requests and streams that wait for changes. One look serves all of them. */
export class ChangeWatch {
  readonly #hints: Hints
  readonly #findNewest: () => Promise<Newest | undefined>
  /** Whether nobody waits any more, because the server stops. */
  isStopped = false
  /** How many streams are open, and how many requests wait. */
  readonly open = { stream: 0, poll: 0 }
  readonly #slots = new KeyedSemaphore({ atOnce: waitingForChanges, waiting: 0, waitTimeout: 0 })
  /** Runs the reads of streams, as many at a time as one statement can, so that requests come in between. */
  readonly reading = pLimit(batchSizes.usual)
  readonly #waiting = new Set<Waiting>()
  #newest = ''
  #isLooking = false
  #isWoken = false
  #lookAgain: (() => void) | undefined
  #hasWritten = false
  #isHinting = false
  readonly #ignoreHints: () => void
  // Bound, so that neither belongs to the trace of the request that begins it.
  readonly #keepLooking = AsyncResource.bind(() => this.#lookWhileAnybodyWaits())
  readonly #keepHinting = AsyncResource.bind(() => this.#hintAfterWrites())

  constructor(hints: Hints, findNewest: () => Promise<Newest | undefined>) {
    this.#hints = hints
    this.#findNewest = findNewest
    this.#ignoreHints = hints.onEach(() => this.#lookSoon())
  }

  /** Counts a stream or a request of an account until the function that it returns is called. Throws `UNAVAILABLE` if it has too many. */
  async enter(kind: keyof ChangeWatch['open'], account: string): Promise<() => void> {
    const release = await this.#slots.take(account)
    this.open[kind] += 1
    return () => {
      this.open[kind] -= 1
      release()
    }
  }

  /** Waits for changes after an id, in hexadecimal, for at most this many milliseconds, and returns whether there may be some. */
  after(id: string, milliseconds: number, signal: AbortSignal): Promise<boolean> {
    return new Promise<boolean>((resolve) => {
      const nothing = () => waiting.end(false)
      const timer = setTimeout(nothing, milliseconds)
      signal.addEventListener('abort', nothing, { once: true })
      const end = (isMore: boolean) => {
        clearTimeout(timer)
        signal.removeEventListener('abort', nothing)
        this.#waiting.delete(waiting)
        resolve(isMore)
      }
      const waiting = { id, end }
      this.#waiting.add(waiting)
      if (this.isStopped || signal.aborted) return nothing()
      if (id < this.#newest) this.#lookSoon()
      if (!this.#isLooking) void this.#keepLooking()
    })
  }

  /** Waits for this many milliseconds, or until nobody waits any more. */
  async pause(milliseconds: number, signal: AbortSignal): Promise<void> {
    await this.after(endOfIds, milliseconds, signal)
  }

  /** Looks soon, and lets other processes do so, because this one has written. */
  noteWrite(): void {
    this.#lookSoon()
    this.#hasWritten = true
    if (!this.#isHinting) void this.#keepHinting()
  }

  /** Ends all waits, also those that begin later. */
  stop(): void {
    this.isStopped = true
    this.#ignoreHints()
    for (const { end } of this.#waiting) end(false)
    this.#lookSoon()
  }

  async #hintAfterWrites(): Promise<void> {
    this.#isHinting = true
    while (this.#hasWritten) {
      this.#hasWritten = false
      await this.#hints.give().catch(() => undefined)
      await sleep(hintPause, undefined, { ref: false })
    }
    this.#isHinting = false
  }

  #lookSoon(): void {
    this.#isWoken = true
    this.#lookAgain?.()
  }

  async #lookWhileAnybodyWaits(): Promise<void> {
    this.#isLooking = true
    while (this.#waiting.size > 0) {
      this.#isWoken = false
      const newest = await this.#look()
      const began = performance.now()
      if (newest) this.#endBefore(newest.id)
      await this.#untilRead()
      await sleep(Math.max(pause.least, (performance.now() - began) * pause.part))
      if (!newest?.isMore) await this.#untilWoken()
    }
    this.#isLooking = false
  }

  #endBefore(id: string): void {
    this.#newest = id
    for (const waiting of this.#waiting) if (waiting.id < id) waiting.end(true)
  }

  /** Waits until the last of the streams that were woken has begun to read. */
  async #untilRead(): Promise<void> {
    await immediate()
    await this.reading(() => undefined)
  }

  #untilWoken(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, interval)
      this.#lookAgain = () => {
        clearTimeout(timer)
        resolve()
      }
      if (this.#isWoken) this.#lookAgain()
    })
  }

  /** Undefined if the database does not answer. */
  #look(): Promise<Newest | undefined> {
    return this.#findNewest().catch(() => undefined)
  }
}
