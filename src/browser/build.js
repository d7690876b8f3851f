import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { readFile, watch, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { build } from 'vite'

// Bundles the scripts and styles of the pages to dist/browser; with --watch, also after each change.
const folder = fileURLToPath(new URL('.', import.meta.url))
const outDir = join(folder, '../../dist/browser')
const keyFile = join(outDir, '.key')
const entries = ['landing.ts', 'timeline.ts', 'graphiql.tsx', 'docs.ts', 'callback.ts', 'problem.ts', 'documents.ts']
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

/** Writes `.br` and `.gz` beside a file. The next better quality takes four times as long, and saves half a percent. */
async function compress(path) {
  const content = await readFile(path)
  const params = { [constants.BROTLI_PARAM_QUALITY]: 8 }
  await writeFile(`${path}.br`, await promisify(brotliCompress)(content, { params }))
  await writeFile(`${path}.gz`, await promisify(gzip)(content))
}

/** Bundles, unless nothing has changed since the last time. Returns whether it did. */
async function bundle() {
  const key = keyOfSources()
  if (existsSync(keyFile) && readFileSync(keyFile, 'utf8') === key) return false
  const built = await build({
    configFile: false,
    root: folder,
    base: './',
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
        // The server reads the documents.
        preserveEntrySignatures: 'exports-only',
        input: entries.map((name) => join(folder, name)),
        output,
      },
    },
  })
  const { output: files } = Array.isArray(built) ? built[0] : built
  await Promise.all(files.map(({ fileName }) => compress(join(outDir, fileName))))
  // For the licenses of the package.
  const modules = files.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []))
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
