import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { Redis, type Result } from 'ioredis'
import { LRUCache } from 'lru-cache'
import { z } from 'zod'
import type { Log } from '../log.ts'

/** How many points each key has in a window, and how many seconds a window lasts. It begins when its first point is used. */
type LimiterOptions = { readonly name: string; readonly points: number; readonly seconds: number }

/** How points are added. */
export type Adding = {
  /** How many seconds a new window lasts, if not as many as usual. */
  readonly seconds?: number
  /** How many points the key may have, if not as many as usual. */
  readonly limit?: number
  /** Whether to add as many points as fit if they do not all fit. */
  readonly partly?: boolean
}

/**
 * The count of a key after an attempt to add points: whether they did not fit, how many were added, and for how many milliseconds
 * the window lasts.
 */
type Count = { readonly isRefused: boolean; readonly added: number; readonly used: number; readonly resetsIn: number }

/** Counts points by key. */
export type Limiter = {
  /** Adds points to a key, unless it would have more than it may. Negative points are taken back; none only reads the count. */
  add(key: string, points: number, adding?: Adding): Count | Promise<Count>
  /** Forgets what a key has used. */
  delete(key: string): Promise<void>
}

/** Creates limiters that all keep their counts in one place. */
export type Limiters = {
  readonly create: (options: LimiterOptions) => Limiter
  readonly close: () => void
}

/** How many keys a limiter counts in memory. Each takes less than 1 KB. A forgotten key starts again. */
const countedKeys = 20_000

/** Counts in the memory of this process, with a limited number of keys. */
function memoryLimiter({ points: usualLimit, seconds: usualSeconds }: LimiterOptions): Limiter {
  const windows = new LRUCache<string, { readonly used: number; readonly end: number }>({ max: countedKeys })
  return {
    add: (key, points, { seconds = usualSeconds, limit = usualLimit, partly = false } = {}) => {
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

/** How long Redis may take to answer, before the connection counts as lost, and to accept a connection, in milliseconds. */
const answerTimeout = 1_000
const connectTimeout = 2_000

/** The longest pause between two attempts to connect, in milliseconds. */
const longestPause = 2_000

/** How long Redis must refuse nothing until it counts as available again, in milliseconds. */
const recovery = 10_000

/**
 * Adds ARGV[1] points to a key as `Limiter.add` does; ARGV[2] is the limit, ARGV[3] the seconds, ARGV[4] `partly`. Redis stores when a key
 * expires: after a step of its clock backwards, what is left would be more than a window.
 */
const addPoints = `
  local used, points, limit = tonumber(redis.call('get', KEYS[1]) or 0), tonumber(ARGV[1]), tonumber(ARGV[2])
  local window, left = tonumber(ARGV[3]) * 1000, redis.call('pttl', KEYS[1])
  if left <= 0 or left > window then
    left = window
    redis.call('pexpire', KEYS[1], left)
  end
  local refused = used + points > limit
  if refused then points = ARGV[4] == 'true' and math.max(limit - used, 0) or 0 end
  local sum = math.max(used + points, 0)
  if points ~= 0 then redis.call('set', KEYS[1], sum, 'PX', left) end
  return { refused and 1 or 0, sum - used, sum, left }`

declare module 'ioredis' {
  interface RedisCommander<Context> {
    addPoints(key: string, points: number, limit: number, seconds: number, partly: string): Result<unknown, Context>
  }
}

const answer = z.tuple([z.number(), z.number(), z.number(), z.number()])

/**
 * Limiters in Redis, shared by all processes that use it. While Redis does not answer, each process counts in its own memory, which is
 * logged once. Resolves when it is connected, or cannot be.
 */
export async function redisLimiters(url: string, log: Log): Promise<Limiters> {
  const client = new Redis(url, {
    commandTimeout: answerTimeout,
    socketTimeout: answerTimeout,
    connectTimeout,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    retryStrategy: (attempt) => Math.min(attempt * 100, longestPause),
    // It is sent once on each connection, and then named by its hash.
    scripts: { addPoints: { lua: addPoints, numberOfKeys: 1 } },
  })
  const availability = logAvailability(client, log)
  // `once` rejects at an error, which is logged.
  await Promise.race([once(client, 'ready').catch(() => undefined), sleep(connectTimeout, undefined, { ref: false })])
  return {
    create: (options) => {
      const own = memoryLimiter(options)
      const nameOf = (key: string) => `rookery:${options.name}:${key}`
      return {
        add: async (key, points, adding = {}) => {
          const { seconds = options.seconds, limit = options.points, partly = false } = adding
          const answered = await client
            .addPoints(nameOf(key), points, limit, seconds, String(partly))
            .catch(availability.failed)
          if (answered === undefined) return own.add(key, points, adding)
          // Reading works also where Redis is full, or a replica.
          if (points !== 0) availability.worked()
          const [refused, added, used, resetsIn] = answer.parse(answered)
          return { isRefused: refused === 1, added, used, resetsIn }
        },
        delete: async (key) => {
          await client.del(nameOf(key)).catch(() => own.delete(key))
        },
      }
    },
    close: () => {
      availability.end()
      client.disconnect()
    },
  }
}

/**
 * Rejects if Redis does not run scripts, which all limits are. Returns the policy by which it would drop counts once its memory is full, if
 * there is one and it may be asked.
 */
export async function inspectRedis(url: string): Promise<string | undefined> {
  const client = new Redis(url, {
    connectTimeout,
    commandTimeout: answerTimeout,
    retryStrategy: () => null,
    lazyConnect: true,
  })
  const failed = once(client, 'error').then(([error]) => Promise.reject(error))
  // Its own rejection only says that the connection is closed.
  const answered = client.connect().then(
    () => client.eval('return 1', 0),
    () => failed,
  )
  const work = answered.then(() => client.info('memory').catch(() => ''))
  const memory = await Promise.race([work, failed]).finally(() => client.disconnect())
  const policy = /^maxmemory_policy:(\S+)/m.exec(memory)?.[1]
  return policy === 'noeviction' ? undefined : policy
}

/** Logs once when Redis goes away or refuses to count, and once when it is back. `end` ends this. */
function logAvailability(client: Redis, log: Log) {
  let isAway = false
  let failedAt = 0
  const failed = (err?: Error): undefined => {
    if (!isAway) log.warn({ err }, 'Redis is not counting: this process counts rate limits on its own')
    isAway = true
    failedAt = performance.now()
  }
  const back = () => {
    if (isAway) log.info('Redis is counting again: rate limits are shared')
    isAway = false
  }
  const worked = () => {
    if (isAway && performance.now() - failedAt > recovery) back()
  }
  client.on('error', failed)
  // A connection that Redis or a proxy closes in good order is no error.
  client.on('close', failed)
  client.on('ready', back)
  const end = () => {
    isAway = true
    client.off('close', failed)
  }
  return { failed, worked, end }
}
