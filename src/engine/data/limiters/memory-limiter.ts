import { LRUCache } from 'lru-cache'
import type { Limiter, LimiterOptions, Limiters } from './limiter.ts'

/** How many keys a limiter counts in memory. Each takes less than 1 KB. A forgotten key starts again. */
const countedKeys = 20_000

/** Counts in the memory of this process, with a limited number of keys. */
export function memoryLimiter({ points: limit, seconds: usualSeconds }: LimiterOptions): Limiter {
  const windows = new LRUCache<string, { readonly used: number; readonly end: number }>({ max: countedKeys })
  return {
    add: (key, points, { seconds = usualSeconds, partly = false } = {}) => {
      const now = performance.now()
      const known = windows.get(key)
      const { used, end } = known && known.end > now ? known : { used: 0, end: now + seconds * 1_000 }
      const isRefused = used + points > limit
      const added = isRefused ? (partly ? Math.max(limit - used, 0) : 0) : points
      const count = { used: Math.max(used + added, 0), end }
      if (added !== 0) windows.set(key, count)
      return { isRefused, added: count.used - used, used: count.used, resetsIn: end - now }
    },
    delete: async (key) => {
      windows.delete(key)
    },
  }
}

/** Limiters in the memory of this process. */
export const memoryLimiters: Limiters = { create: memoryLimiter, close: () => undefined }
