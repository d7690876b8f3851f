import { onTestFinished, vi } from 'vitest'

/** Sets the clock of this process so many milliseconds ahead of the right time, or behind it, until the end of the test. It stands still there. */
export function setClock(ahead: number): void {
  vi.useRealTimers()
  vi.useFakeTimers({ now: Date.now() + ahead, toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
}
