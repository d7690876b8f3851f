import { defineConfig } from 'vitest/config'
import { resolve, server } from '../vitest.config.ts'

/** Fault tests run one at a time, because each needs the whole machine. */
export default defineConfig({
  root: new URL('../..', import.meta.url).pathname,
  resolve,
  test: {
    server,
    include: ['test/faults/*.faults.ts'],
    fileParallelism: false,
    testTimeout: 180_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000, interval: 100 } },
  },
})
