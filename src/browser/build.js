import { statSync, utimesSync, writeFileSync } from 'node:fs'
import { readFile, watch, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { build } from 'vite'

// Bundles the scripts and styles of the pages to dist/browser; with --watch, after each change.
const folder = fileURLToPath(new URL('.', import.meta.url))
const outDir = join(folder, '../../dist/browser')
const entries = [
  'about.ts',
  'landing.ts',
  'timeline.ts',
  'graphiql.tsx',
  'docs.ts',
  'callback.ts',
  'passkey.ts',
  'problem.ts',
  'documents.ts',
]
const serverEntry = join(outDir, '../cli/main.js')

const output = {
  entryFileNames: '[hash]/[name].js',
  chunkFileNames: '[hash]/[name].js',
  assetFileNames: '[hash]/[name][extname]',
}

/** Writes `.br` and `.gz` beside a file. The next better quality takes four times as long, and saves half a percent. */
async function compress(path) {
  const content = await readFile(path)
  const params = { [constants.BROTLI_PARAM_QUALITY]: 8 }
  await writeFile(`${path}.br`, await promisify(brotliCompress)(content, { params }))
  await writeFile(`${path}.gz`, await promisify(gzip)(content))
}

async function bundle() {
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
}

if (process.argv.includes('--watch')) {
  let bundled = Date.now()
  for await (const { filename } of watch(folder, { recursive: true })) {
    const file = statSync(join(folder, filename ?? ''), { throwIfNoEntry: false })
    // One change is reported several times.
    if (!file || file.mtimeMs < bundled) continue
    bundled = Date.now()
    await bundle().catch((error) => console.error(String(error)))
    // The server reads the names of the bundles when it starts, and `node --watch` restarts it now.
    utimesSync(serverEntry, new Date(), new Date())
  }
} else await bundle()
