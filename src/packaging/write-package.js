// @ts-check
import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { rolldown } from 'rolldown'

// The last step of `npm run package`: writes the build and the libraries that it uses into one package without dependencies.

const root = new URL('../..', import.meta.url).pathname
const { resolve } = createRequire(import.meta.url)

/** The files that the bundled libraries read at run time, and that stand beside the code. */
const assets = ['pglite.wasm', 'pglite.data', 'initdb.wasm'].map((name) =>
  join(dirname(resolve('@electric-sql/pglite')), name),
)

/** The files of the repository that are published as they are. */
const published = [
  'prisma/migrations',
  'prisma/seed',
  'schema.graphql',
  'docs',
  'README.md',
  'CHANGELOG.md',
  'SECURITY.md',
  'LICENSE',
]

/** Whether a file is published: those whose names begin with a dot only serve the build. @param {string} path */
const isPublished = (path) => !basename(path).startsWith('.')

/** Bundles the program into the folder and returns the files that went into it. @param {string} folder */
async function bundle(folder) {
  const build = await rolldown({
    input: { main: 'dist/cli/main.js', worker: 'dist/engine/data/embedded/worker.js' },
    cwd: root,
    platform: 'node',
    // As Node.js itself resolves packages, so that graphql is loaded once.
    resolve: { mainFields: ['main'] },
    // `pg` uses it only if it is installed.
    external: ['pg-native'],
    onLog: (level, log, handle) => {
      // PGlite and Koa call eval.
      if (log.code === 'EVAL') return
      if (level === 'warn') throw new Error(log.message)
      handle(level, log)
    },
  })
  const { output } = await build.write({ dir: folder, format: 'esm', chunkFileNames: '[name]-[hash].js' })
  await build.close()
  return output.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.moduleIds : []))
}

/** The folder of the package that a file belongs to; undefined for a file of this repository. @param {string} file */
function packageOf(file) {
  return /^\0?(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1]
}

/** The licenses of packages, with the notices that have to be passed on. @param {readonly string[]} folders */
function licensesOf(folders) {
  const sections = folders.map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    const texts = readdirSync(folder)
      .filter((file) => /^(licen[cs]e|notice|copying)/i.test(file))
      .map((file) => readFileSync(join(folder, file), 'utf8').trim())
    return [`## ${name} ${version}`, `License: ${license}`, ...texts].join('\n\n')
  })
  return ['# Licenses of the libraries in this package', ...new Set(sections)].join('\n\n').concat('\n')
}

/** The manifest of the package: that of the repository, without what only serves development. */
function manifest() {
  const { name, version, description, license, type, engines } = JSON.parse(
    readFileSync(join(root, 'package.json'), 'utf8'),
  )
  const imports = {
    '#package.json': './package.json',
    '#embedded-worker': './dist/worker.js',
    '#browser/*': './dist/browser/*',
  }
  return { name, version, description, license, type, engines, imports, bin: { rookery: 'dist/main.js' } }
}

const destination = process.argv[2] ?? root
const stage = mkdtempSync(join(tmpdir(), 'rookery-package-'))
try {
  const dist = join(stage, 'dist')
  const modules = await bundle(dist)
  const clusters = readdirSync(join(root, 'dist')).filter((name) => /^cluster-.*\.tar$/.test(name))
  for (const file of [...assets, ...clusters.map((name) => join(root, 'dist', name))])
    cpSync(file, join(dist, basename(file)))
  const bundled = join(root, 'dist/browser')
  cpSync(bundled, join(dist, 'browser'), { recursive: true, filter: isPublished })
  /** @type {string[]} */
  const inPages = JSON.parse(readFileSync(join(bundled, '.modules.json'), 'utf8'))
  for (const path of published) cpSync(join(root, path), join(stage, path), { recursive: true, filter: isPublished })
  const packages = new Set([...modules, ...assets, ...inPages].map(packageOf).filter((folder) => folder !== undefined))
  writeFileSync(join(stage, 'THIRD-PARTY-LICENSES.md'), licensesOf([...packages].sort()))
  writeFileSync(join(stage, 'package.json'), `${JSON.stringify(manifest(), null, 2)}\n`)
  execFileSync('npm', ['pack', '--ignore-scripts', '--pack-destination', destination], { cwd: stage, stdio: 'inherit' })
} finally {
  rmSync(stage, { recursive: true })
}
