import { defineConfig } from 'vitest/config'

export default defineConfig({
  root: new URL('../..', import.meta.url).pathname,
  test: { include: ['test/screenshots/*.screenshots.ts'], testTimeout: 120_000, hookTimeout: 120_000 },
})
