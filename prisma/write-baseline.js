import { runnerImport } from 'vite'

// Vite compiles the TypeScript files, which are no part of the build.
const { module } = await runnerImport(new URL('baseline.ts', import.meta.url).pathname)
await module.writeBaseline()
