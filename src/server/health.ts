import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { Refusal } from '../engine/errors.ts'
import { addReadOnly } from '../engine/http/allowed-methods.ts'
import type { ServerOptions } from './server-options.ts'

/** The sampling interval of the event loop's delay, and the period of an average, in milliseconds. */
const resolution = 20
const window = 500

/** The number of consecutive averages that have to be too high, so that a short burst refuses nobody. */
const lateWindows = 2

/** The average delay from which the server refuses new work, in milliseconds: far more than 128 busy connections cause. */
const tooLate = 750

/** Watches the event loop of this process. */
type EventLoop = {
  /** Whether its average delay has been too high for a second. */
  readonly isBehind: () => boolean
  readonly stop: () => void
}

/** Starts to watch the event loop. `maxDelay` is in milliseconds. */
export function watchEventLoop(maxDelay: number = tooLate): EventLoop {
  const histogram = monitorEventLoopDelay({ resolution })
  histogram.enable()
  let late = 0
  const timer = setInterval(() => {
    // In nanoseconds, and NaN without a sample. Samples include the resolution.
    late = histogram.mean / 1e6 - resolution > maxDelay ? late + 1 : 0
    histogram.reset()
  }, window).unref()
  return {
    isBehind: () => late >= lateWindows,
    stop: () => {
      clearInterval(timer)
      histogram.disable()
    },
  }
}

/** How long the database may take to answer a ping, in milliseconds. */
const pingTimeout = 2_000

/**
 * Adds `/health/live`, the process responds, and `/health/ready`, whether to route requests here: 503 while the server starts,
 * stops or cannot keep up, or the database does not respond.
 */
export function addHealth(
  server: FastifyInstance,
  { database, isStarting, isStopping, isBehind }: ServerOptions,
): void {
  addReadOnly(server, '/health/live', (_request, reply) => send(reply, 200, 'ok'))
  addReadOnly(server, '/health/ready', async (_request, reply) => {
    if (isStarting?.()) return send(reply, 503, 'other workers are starting')
    if (isStopping?.()) return send(reply, 503, 'stopping')
    if (isBehind?.()) return send(reply, 503, 'the event loop is behind')
    const pinged = database.ping().then(
      () => true,
      () => false,
    )
    const answers = await Promise.race([pinged, sleep(pingTimeout, false, { ref: false })])
    return answers ? send(reply, 200, 'ok') : send(reply, 503, 'the database does not answer')
  })
}

function send(reply: FastifyReply, code: 200 | 503, status: string): FastifyReply {
  return reply
    .code(code)
    .headers(code === 503 ? new Refusal('UNAVAILABLE', status).headers : {})
    .send({ status })
}
