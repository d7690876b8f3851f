import { LRUCache } from 'lru-cache'
import type { RateLimiterRes } from 'rate-limiter-flexible'
import RateLimiterMemory from 'rate-limiter-flexible/lib/RateLimiterMemory.js'
import type { LimiterOptions, Limiters } from './limiter.ts'

/** How many keys a limiter counts in memory. Each takes less than 1 KB. A forgotten key starts again. */
const countedKeys = 20_000

type Options = Parameters<RateLimiterMemory['consume']>[2]

/** Counts in the memory of this process, with a limited number of keys. */
export class MemoryLimiter extends RateLimiterMemory {
  readonly #keys = new LRUCache<string, true>({
    max: countedKeys,
    dispose: (_value, key, reason) => {
      if (reason === 'evict') void this.delete(key)
    },
  })

  #last: Promise<unknown> = Promise.resolve()

  constructor({ name, points, seconds }: LimiterOptions) {
    super({ keyPrefix: name, points, duration: seconds })
  }

  override consume(key: string, points: number, options?: Options): Promise<RateLimiterRes> {
    this.#keys.set(key, true)
    return this.#inOrder(() =>
      super.consume(key, points, options).catch(async (refused: unknown) => {
        await super.reward(key, points)
        throw refused
      }),
    )
  }

  override delete(key: string): Promise<boolean> {
    return this.#inOrder(() => super.delete(key))
  }

  override get(key: string): Promise<RateLimiterRes | null> {
    return this.#inOrder(() => super.get(key))
  }

  override penalty(key: string, points: number, options?: Options): Promise<RateLimiterRes> {
    this.#keys.set(key, true)
    return super.penalty(key, points, options)
  }

  override reward(key: string, points: number, options?: Options): Promise<RateLimiterRes> {
    this.#keys.set(key, true)
    return super.reward(key, points, options)
  }

  /** Waits for earlier calls, so that none sees points that a refused call still has to give back. */
  #inOrder<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work)
    this.#last = result.catch(() => undefined)
    return result
  }
}

/** Limiters in the memory of this process. */
export const memoryLimiters: Limiters = { create: (options) => new MemoryLimiter(options), close: () => undefined }
