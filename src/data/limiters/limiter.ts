import type { RateLimiterAbstract } from 'rate-limiter-flexible'
import RateLimiterRes from 'rate-limiter-flexible/lib/RateLimiterRes.js'

/** How many points each key has in a window, and how many seconds a window lasts. It begins when its first point is used. */
export type LimiterOptions = { readonly name: string; readonly points: number; readonly seconds: number }

/** Counts points by key. What it refuses is not counted. */
export type Limiter = Pick<RateLimiterAbstract, 'consume' | 'penalty' | 'reward' | 'get' | 'delete'>

/** Creates limiters that all keep their counts in one place. */
export type Limiters = {
  readonly create: (options: LimiterOptions) => Limiter
  readonly close: () => void
}

/** What a key has used of its points, and for how many milliseconds the count lasts. */
export type Usage = { readonly used: number; readonly resetsIn: number }

/** The result of asking for points: whether enough were left, and what the key has used by now. */
export type Outcome = Usage & { readonly isRefused: boolean }

/** Takes points of a key, unless it has fewer left. */
export async function takePoints(limiter: Limiter, key: string, points: number, seconds?: number): Promise<Outcome> {
  const options = seconds === undefined ? {} : { customDuration: seconds }
  try {
    const { consumedPoints, msBeforeNext } = await limiter.consume(key, points, options)
    return { isRefused: false, used: consumedPoints, resetsIn: msBeforeNext }
  } catch (refused) {
    if (!(refused instanceof RateLimiterRes)) throw refused
    return { isRefused: true, used: refused.consumedPoints - points, resetsIn: refused.msBeforeNext }
  }
}
