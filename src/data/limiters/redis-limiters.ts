import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import RateLimiterRedis from 'rate-limiter-flexible/lib/RateLimiterRedis.js'
import type { Log } from '../../log.ts'
import type { Limiters } from './limiter.ts'
import { MemoryLimiter } from './memory-limiter.ts'

/** How long Redis may take to answer, before the connection counts as lost, and to accept a connection, in milliseconds. */
const answerTimeout = 1_000
const connectTimeout = 2_000

/** The longest pause between two attempts to connect, in milliseconds. */
const longestPause = 2_000

/** Adds ARGV[1] points to a key for ARGV[2] seconds, unless it then has more than ARGV[3]. Returns the sum and the time left. */
const addPoints = `
  local sum = tonumber(redis.call('get', KEYS[1]) or 0) + tonumber(ARGV[1])
  local left = redis.call('pttl', KEYS[1])
  if left <= 0 then left = tonumber(ARGV[2]) * 1000 end
  if sum <= tonumber(ARGV[3]) then redis.call('set', KEYS[1], sum, 'PX', left) end
  return { sum, left }`

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
  })
  const endLogging = logAvailability(client, log)
  // `once` rejects at an error, which is logged.
  await Promise.race([once(client, 'ready').catch(() => undefined), sleep(connectTimeout, undefined, { ref: false })])
  return {
    create: (options) =>
      new RateLimiterRedis({
        storeClient: client,
        keyPrefix: `rookery:${options.name}`,
        points: options.points,
        duration: options.seconds,
        customIncrTtlLuaScript: addPoints,
        rejectIfRedisNotReady: true,
        insuranceLimiter: new MemoryLimiter(options),
      }),
    close: () => {
      endLogging()
      client.disconnect()
    },
  }
}

/** Logs once when Redis goes away, and once when it is back. Returns what ends this. */
function logAvailability(client: Redis, log: Log): () => void {
  let isAway = false
  const logAway = (err?: Error) => {
    if (!isAway) log.warn({ err }, 'Redis does not answer: this process counts rate limits on its own')
    isAway = true
  }
  client.on('error', logAway)
  // A connection that Redis or a proxy closes in good order is no error.
  client.on('close', logAway)
  client.on('ready', () => {
    if (isAway) log.info('Redis answers again: rate limits are shared')
    isAway = false
  })
  return () => client.off('close', logAway)
}
