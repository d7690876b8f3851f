import { onTestFinished, vi } from 'vitest'
import { staleness } from '../../src/domain/sessions.ts'

const realNow = performance.now.bind(performance)

/** Lets what the servers of this process have looked up become stale until the end of the test. */
export function letTimePass(): void {
  const passed = performance.now() - realNow() + staleness
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => realNow() + passed)
  onTestFinished(() => clock.mockRestore())
}
