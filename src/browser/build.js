import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { watch } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'

// Bundles the scripts and styles of the pages to dist/browser; with --watch, also after each change.
const folder = fileURLToPath(new URL('.', import.meta.url))
const outDir = join(folder, '../../dist/browser')
const keyFile = join(outDir, '.key')
const serverEntry = join(outDir, '../cli/main.js')

const output = {
  entryFileNames: '[hash]/[name].js',
  chunkFileNames: '[hash]/[name].js',
  assetFileNames: '[hash]/[name][extname]',
}

/** The hash of all that the bundles depend on. */
function keyOfSources() {
  const sources = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const hash = createHash('sha256').update(readFileSync(join(folder, '../../package-lock.json')))
  for (const { parentPath, name } of sources) hash.update(name).update(readFileSync(join(parentPath, name)))
  return hash.digest('hex')
}

/** Bundles, unless nothing has changed since the last time. Returns whether it did. */
async function bundle() {
  const key = keyOfSources()
  if (existsSync(keyFile) && readFileSync(keyFile, 'utf8') === key) return false
  const built = await build({
    configFile: false,
    root: folder,
    base: '/assets/',
    logLevel: 'error',
    worker: { format: 'es', rolldownOptions: { output } },
    build: {
      outDir,
      emptyOutDir: true,
      target: 'es2023',
      manifest: 'manifest.json',
      modulePreload: { polyfill: false },
      assetsInlineLimit: 0,
      chunkSizeWarningLimit: 4_000,
      rolldownOptions: {
        input: {
          landing: join(folder, 'landing.ts'),
          timeline: join(folder, 'timeline/main.ts'),
          graphiql: join(folder, 'graphiql/main.tsx'),
          docs: join(folder, 'docs.ts'),
          problem: join(folder, 'problem.ts'),
        },
        output,
      },
    },
  })
  // For the licenses of the package.
  const { output: chunks } = Array.isArray(built) ? built[0] : built
  const modules = chunks.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.moduleIds : []))
  writeFileSync(join(outDir, '.modules.json'), JSON.stringify(modules))
  writeFileSync(keyFile, key)
  return true
}

await bundle()
if (process.argv.includes('--watch')) {
  for await (const _change of watch(folder, { recursive: true })) {
    const isNew = await bundle().catch((error) => console.error(String(error)))
    // The server reads the names of the bundles when it starts, and `node --watch` restarts it now.
    if (isNew) utimesSync(serverEntry, new Date(), new Date())
  }
}
