import { defineConfig } from 'vitest/config'

// Otherwise graphql is loaded twice, once in each module format, and refuses to work with itself.
export const resolve = { alias: { graphql: new URL('../node_modules/graphql/index.js', import.meta.url).pathname } }
export const server = { deps: { inline: [/graphql/, /pothos/] } }

export default defineConfig({
  root: new URL('..', import.meta.url).pathname,
  resolve,
  test: {
    globalSetup: ['test/global-setup.ts'],
    include: ['test/**/*.test.ts'],
    maxWorkers: '100%',
    // Without optimized WebAssembly, which takes longer to compile than most databases live. V8 can also crash a process that opens and
    // closes many of them (nodejs/node#64500).
    execArgv: ['--liftoff-only'],
    // Loading the service again for each file takes longer than most files do.
    isolate: false,
    server,
    // Generous, because the tests may share a slow machine; a test that hangs still ends.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 20_000 } },
  },
})
