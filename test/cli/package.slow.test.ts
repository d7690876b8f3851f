import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { migrationsFolder, readMigrations } from '../../src/engine/data/migration-files.ts'
import { onPostgres } from '../support/database.ts'
import { commandDatabase } from '../support/processes/command-database.ts'
import { authorization, callRest } from '../support/rest/call.ts'

const run = promisify(execFile)
const root = new URL('../..', import.meta.url).pathname
const { version } = z
  .object({ version: z.string() })
  .parse(JSON.parse(await readFile(join(root, 'package.json'), 'utf8')))
const ready = z.object({
  origin: z.url(),
  graphql: z.url(),
  rest: z.url(),
  metrics: z.url().nullable(),
  demoToken: z.string().nullable(),
})

describe('the package, installed in an empty directory', { timeout: 300_000 }, () => {
  let home: string
  let app: string
  const env = { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', PORT: '0', LOG_LEVEL: 'warn' }
  const rookery = async (args: readonly string[], more: Record<string, string> = {}) =>
    (await run('node_modules/.bin/rookery', args, { cwd: app, env: { ...env, ...more } })).stdout

  /** Serves while the work runs, and expects the server to end well. */
  async function serving(more: Record<string, string>, work: (server: z.infer<typeof ready>) => Promise<unknown>) {
    const child = spawn('node_modules/.bin/rookery', ['serve', '--json'], {
      cwd: app,
      env: { ...env, ...more },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const ended = once(child, 'exit')
    try {
      let printed = ''
      for await (const text of child.stdout) {
        printed += text
        if (printed.endsWith('}\n')) break
      }
      await work(ready.parse(JSON.parse(printed)))
    } finally {
      child.kill('SIGTERM')
      expect(await ended).toEqual([0, null])
    }
  }

  async function query({ origin, graphql }: z.infer<typeof ready>, token: string, username: string) {
    for (const accept of ['application/json', 'application/graphql-response+json;q=0.9, */*;q=0.1']) {
      const response = await fetch(graphql, {
        method: 'POST',
        headers: { accept, 'content-type': 'application/json', ...authorization(token) },
        body: JSON.stringify({ query: '{ viewer { username } homeTimeline(first: 2) { totalCount } }' }),
      })
      expect(await response.json()).toMatchObject({ data: { viewer: { username } } })
    }
    const sent = await callRest(origin, token, 'POST', '/post', { content: 'Hello' })
    expect(await sent.json()).toMatchObject({ content: 'Hello', author: { username } })
    expect(await (await callRest(origin, token, 'GET', '/user')).json()).toMatchObject({ username })
  }

  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'rookery-package-'))
    app = join(home, 'app')
    await run(process.execPath, ['src/packaging/write-package.js', home], { cwd: root })
    await mkdir(app)
    await writeFile(join(app, 'package.json'), '{ "private": true }')
    const install = ['install', '--offline', '--no-audit', '--no-fund', '--ignore-scripts']
    await run('npm', [...install, join(home, `rookery-${version}.tgz`)], { cwd: app })
  })
  afterAll(() => rm(home, { recursive: true }))

  test('has no dependencies, and everything it needs to run, but no sources or tests', async () => {
    const installed = await readdir(join(app, 'node_modules'))
    expect(installed.filter((name) => !name.startsWith('.'))).toEqual(['rookery'])
    const licenses = await readFile(join(app, 'node_modules/rookery/THIRD-PARTY-LICENSES.md'), 'utf8')
    for (const name of ['graphql', 'pg', '@electric-sql/pglite', '@prisma/client', 'swagger-ui-dist', 'graphiql'])
      expect(licenses).toMatch(new RegExp(`^## ${name} \\d`, 'm'))
    const migrations = await readMigrations(migrationsFolder)
    const files = await readdir(join(app, 'node_modules/rookery'), { recursive: true, withFileTypes: true })
    const paths = files
      .filter((file) => file.isFile())
      .map(({ parentPath, name }) => join(parentPath, name).replace(/^.*\/node_modules\/rookery\//, ''))
    expect(paths).toEqual(
      expect.arrayContaining([
        'dist/main.js',
        expect.stringMatching(/^dist\/cluster-[0-9a-f]+\.tar$/),
        ...migrations.map(({ name }) => `prisma/migrations/${name}/migration.sql`),
        'schema.graphql',
        'docs/openapi.json',
        'LICENSE',
        'README.md',
        'docs/operate.md',
        'docs/deploy/rookery.service',
      ]),
    )
    const known =
      /^(dist\/[\w.-]+\.(js|tar|wasm|data)|dist\/browser\/(manifest\.json|[\w-]+\/[\w.-]+\.(js|css|ttf))(\.(br|gz))?|prisma\/(migrations|seed)\/.*|[a-z]+\.(json|graphql)|[A-Z-]+(\.md)?|docs\/[a-z/-]+\.(md|webp|svg|json|conf|cfg|service))$/
    expect(paths.filter((path) => !known.test(path) || /\.test\.|\.tsx?$/.test(path))).toEqual([])
  })

  test('serves the demo with its pages', async () => {
    const printed = await run('npx', ['--no-install', 'rookery', '--version'], { cwd: app, env })
    expect(printed.stdout).toBe(`${version}\n`)
    const doctor: unknown = JSON.parse(await rookery(['doctor', '--json']))
    expect(doctor).toMatchObject({ ok: true, checks: expect.any(Array) })
    expect(existsSync(join(app, '.data'))).toBe(false)

    await serving({ METRICS_PORT: '0' }, async (server) => {
      const { origin, demoToken } = server
      await query(server, demoToken ?? '', 'ada')
      for (const path of ['/', '/timeline', '/graphql', '/api/v1/docs']) {
        const page = await (await fetch(`${origin}${path}`, { headers: { accept: 'text/html' } })).text()
        const assets = [...page.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, asset = '']) => asset)
        const found = await Promise.all(assets.map(async (asset) => (await fetch(`${origin}${asset}`)).status))
        expect({ path, found }).toEqual({ path, found: assets.map(() => 200) })
        expect(assets.length).toBeGreaterThan(1)
      }
      expect((await fetch(`${origin}/schema.graphql`)).status).toBe(200)
      expect((await fetch(`${origin}/graphql?query=%ff`)).status).toBe(400)
      expect((await callRest(origin, undefined, 'GET', '/openapi.json')).status).toBe(200)
    })
  })

  test.runIf(onPostgres)('migrates a database, creates an account, and serves it', async () => {
    const database = await commandDatabase()
    const { applied } = JSON.parse(await rookery(['migrate', '--json'], database.env))
    expect(applied).toHaveLength((await readMigrations(migrationsFolder)).length)
    await rookery(['user', 'create', 'robin', '--email', 'robin@example.org'], database.env)
    const token = (await rookery(['token', 'create', 'robin'], database.env)).trim()
    await serving(database.env, (server) => query(server, token, 'robin'))
    await database.remove()
  })
})
