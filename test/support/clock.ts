import { onTestFinished, vi } from 'vitest'
import { staleness } from '../../src/engine/auth/viewers.ts'

const realNow = performance.now.bind(performance)

/** Lets what the servers of this process have looked up become stale until the end of the test. */
export function letTimePass(): void {
  const passed = performance.now() - realNow() + staleness
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => realNow() + passed)
  onTestFinished(() => clock.mockRestore())
}

/**
 * Sets the clock of this process so many milliseconds ahead of the right time, or behind it, until the end of the test. It stands
 * still there.
 */
export function setClock(ahead: number): void {
  vi.useRealTimers()
  vi.useFakeTimers({ now: Date.now() + ahead, toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
}
