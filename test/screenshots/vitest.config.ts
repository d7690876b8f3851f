import { defineConfig } from 'vitest/config'
import { resolve, server } from '../vitest.config.ts'

export default defineConfig({
  root: new URL('../..', import.meta.url).pathname,
  resolve,
  test: { include: ['test/screenshots/*.screenshots.ts'], server, testTimeout: 120_000, hookTimeout: 120_000 },
})
