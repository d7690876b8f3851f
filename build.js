// @ts-check
import { exec } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

// `npm run build` builds the server and its pages. With `examples` it builds them, too, and with `--noCheck` ignores wrong types.
const options = process.argv.slice(2)

/** Runs a command, and shows what it says if it fails. @param {string} command @returns {Promise<void>} */
const run = (command) =>
  new Promise((resolve) => {
    exec(command, (error, stdout, stderr) => {
      if (!error) return resolve()
      console.error(`${command}\n${stdout}${stderr}`)
      process.exit(1)
    })
  })

/** The files below paths, without those that are built. @param {readonly string[]} paths @returns {string[]} */
const filesBelow = (paths) =>
  paths.flatMap((path) => {
    if (!statSync(path).isDirectory()) return [path]
    const names = readdirSync(path).filter((name) => name !== 'dist' && name !== 'generated')
    return filesBelow(names.map((name) => join(path, name)))
  })

/**
 * Writes a folder by commands, unless it was written from the same files and packages.
 *
 * @param {{ folder: string, from: readonly string[], by: readonly string[] }} step
 */
async function write({ folder, from, by }) {
  const hash = createHash('sha256').update(by.join())
  for (const file of filesBelow(['package-lock.json', ...from])) hash.update(file).update(readFileSync(file))
  const key = hash.digest('hex')
  const keyFile = join(folder, '.key')
  if (existsSync(keyFile) && readFileSync(keyFile, 'utf8') === key) return
  mkdirSync(folder, { recursive: true })
  for (const command of by) await run(command)
  writeFileSync(keyFile, key)
}

const databaseClient = {
  folder: 'src/engine/data/generated',
  from: ['prisma/schema.prisma', 'prisma/prisma.config.ts'],
  by: ['prisma generate --config prisma/prisma.config.ts'],
}

const exampleClient = {
  folder: 'examples/compiler/generated',
  from: ['examples/compiler/schema.prisma', 'prisma/prisma.config.ts'],
  by: ['prisma generate --config prisma/prisma.config.ts --schema examples/compiler/schema.prisma'],
}

const documentTypes = {
  folder: 'src/engine/rest/generated',
  from: ['schema.graphql', 'tsconfig.json'],
  by: ['gql.tada generate-output'],
}

const sources = [
  'schema.prisma',
  'functions',
  'rules.sql',
  'baseline.ts',
  'relation-sql.ts',
  'schema-engine.ts',
  'sql-files.ts',
]
const baseline = {
  folder: 'prisma/migrations/20261127000000_baseline',
  // SQL contains constants of the code.
  from: [...sources.map((name) => `prisma/${name}`), 'src/engine/text', 'src/features/base'],
  by: ['node prisma/write-baseline.js'],
}

const pages = { folder: 'dist/browser', from: ['src/browser'], by: ['node src/browser/build.js'] }

const examples = {
  folder: 'examples/dist',
  from: ['examples', 'schema.graphql', 'docs/openapi.json', 'tsconfig.json'],
  by: [
    'gql.tada generate-output -c examples/tsconfig.json -o examples/generated/graphql.d.ts',
    'openapi-typescript docs/openapi.json -o examples/generated/openapi.d.ts',
    'tsc -p examples',
    'gql.tada check -c examples/tsconfig.json',
  ],
}

await Promise.all([databaseClient, exampleClient, documentTypes, baseline, pages].map(write))
await run(options.includes('--noCheck') ? 'tsc -p src --noCheck' : 'tsc -p src')
// The files of an empty database, from which the embedded one starts.
await run('node dist/engine/data/embedded/write-prebuilt-cluster.js')
if (options.includes('examples')) await write(examples)
