import { monitorEventLoopDelay } from 'node:perf_hooks'

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
