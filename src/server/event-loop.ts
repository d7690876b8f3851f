import { monitorEventLoopDelay } from 'node:perf_hooks'

/** How often the event loop's delay is measured, and over how long it is averaged, in milliseconds. */
const resolution = 20
const window = 500

/** How many averages in a row have to be too high: a single statement of the embedded database can hold the event loop for one. */
const lateWindows = 2

/**
 * From which average delay no new work is taken on, in milliseconds. 128 busy connections cause 40 on PostgreSQL and, on a slow machine,
 * 480 on the embedded database.
 */
const tooLate = 750

/** Watches the event loop of this process. */
export type EventLoop = {
  /** Whether it has been late on average for a second. */
  readonly isBehind: () => boolean
  readonly stop: () => void
}

/** Begins to watch the event loop, which is behind with an average delay of more than so many milliseconds. */
export function watchEventLoop(maxDelay: number = tooLate): EventLoop {
  const histogram = monitorEventLoopDelay({ resolution })
  histogram.enable()
  let late = 0
  const timer = setInterval(() => {
    // In nanoseconds, and not a number when nothing was measured. What is measured includes the resolution.
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
