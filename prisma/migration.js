import { runnerImport } from 'vite'

// `npm run migration`. Vite compiles the TypeScript files, which are no part of the build.
await runnerImport(new URL('write-migration.ts', import.meta.url).pathname)
