import { defineConfig, type TestProjectConfiguration } from 'vitest/config'

// Otherwise graphql is loaded twice, once in each module format, and refuses to work with itself.
const resolve = { alias: { graphql: new URL('node_modules/graphql/index.js', import.meta.url).pathname } }
const server = { deps: { inline: [/graphql/, /pothos/] } }

/** Where all tests run together, they share a busy machine, which can delay one. A fault of Rookery fails twice. */
const retry = process.env.SAMPLE === 'all' ? 1 : 0

/** Tests that share a database, and load the service once for all files of a worker. */
const ofService = {
  server,
  retry,
  globalSetup: ['test/global-setup.ts'],
  isolate: false,
  // Without optimized WebAssembly, which takes longer to compile than most databases live. V8 can also crash a process that opens and
  // closes many of them (nodejs/node#64500).
  execArgv: ['--liftoff-only'],
  // Generous, because the tests may share a slow machine; a test that hangs still ends.
  testTimeout: 120_000,
  hookTimeout: 120_000,
  expect: { poll: { timeout: 20_000 } },
}

const slow = 'test/**/*.slow.test.ts'
const faults = 'test/faults/**'

const projects: TestProjectConfiguration[] = [
  { resolve, test: { ...ofService, name: 'fast', include: ['test/**/*.test.ts'], exclude: [slow, faults] } },
  { resolve, test: { ...ofService, name: 'slow', include: [slow], exclude: [faults] } },
  {
    resolve,
    test: {
      name: 'faults',
      include: ['test/faults/*.slow.test.ts'],
      server,
      sequence: { groupOrder: 1 },
      retry,
      testTimeout: 180_000,
      hookTimeout: 120_000,
      expect: { poll: { timeout: 60_000, interval: 100 } },
    },
  },
  {
    resolve,
    test: {
      name: 'screenshots',
      include: ['test/screenshots/*.ts'],
      server,
      testTimeout: 120_000,
      hookTimeout: 120_000,
    },
  },
]

/** `npm test` runs the project `fast`, and `npm run test:all` also `slow` and `faults`. */
export default defineConfig({ test: { projects, maxWorkers: '100%' } })
