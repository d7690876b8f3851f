import { defineConfig } from 'vitest/config'

const onServer = process.env.DATABASE_URL !== undefined
const shared = {
  globalSetup: ['test/global-setup.ts'],
  include: ['test/**/*.test.ts'],
  // Generous, because the tests may share a slow machine; a test that hangs still ends.
  testTimeout: 120_000,
  hookTimeout: 120_000,
  expect: { poll: { timeout: 20_000 } },
}

if (!onServer)
  console.warn('DATABASE_URL is not set: the tests run on PGlite alone, and those on PostgreSQL are left out.')

export default defineConfig({
  root: new URL('..', import.meta.url).pathname,
  // Otherwise graphql is loaded twice, once in each module format, and refuses to work with itself.
  resolve: { alias: { graphql: new URL('../node_modules/graphql/index.js', import.meta.url).pathname } },
  test: {
    maxWorkers: '100%',
    // Without optimized WebAssembly, which takes longer to compile than most databases live. V8 can also crash a process that opens and
    // closes many of them (nodejs/node#64500).
    execArgv: ['--liftoff-only'],
    // Loading the service again for each file takes longer than most files do.
    isolate: false,
    server: { deps: { inline: [/graphql/, /pothos/] } },
    projects: [
      { extends: true, test: { ...shared, name: 'pglite', env: { TEST_DATABASE: 'pglite' } } },
      ...(onServer
        ? [{ extends: true as const, test: { ...shared, name: 'postgres', env: { TEST_DATABASE: 'postgres' } } }]
        : []),
    ],
  },
})
