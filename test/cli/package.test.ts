import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { migrationsFolder, readMigrations } from '../../src/data/migration-files.ts'
import { onPostgres } from '../support/database.ts'

const run = promisify(execFile)
const root = new URL('../..', import.meta.url).pathname
const packed = z.tuple([
  z.object({ version: z.string(), filename: z.string(), files: z.array(z.object({ path: z.string() })) }),
])
const ready = z.object({ origin: z.url(), graphql: z.url(), rest: z.url(), demoToken: z.string() })

describe.skipIf(onPostgres)('the package', { timeout: 300_000 }, () => {
  let home: string
  let app: string
  let manifest: z.infer<typeof packed>[0]

  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'rookery-package-'))
    app = join(home, 'app')
    const pack = await run('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', home], { cwd: root })
    ;[manifest] = packed.parse(JSON.parse(pack.stdout))
  })
  afterAll(() => rm(home, { recursive: true }))

  const env = { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', PORT: '0', LOG_LEVEL: 'warn' }
  const rookery = (...args: string[]) => run('npx', ['--no-install', 'rookery', ...args], { cwd: app, env })

  test('has what it needs to run, and neither sources nor tests', async () => {
    const migrations = await readMigrations(migrationsFolder)
    const paths = manifest.files.map(({ path }) => path)
    expect(paths).toEqual(
      expect.arrayContaining([
        'dist/cli/main.js',
        expect.stringMatching(/^dist\/cluster-[0-9a-f]+\.tar$/),
        ...migrations.map(({ name }) => `prisma/migrations/${name}/migration.sql`),
        'schema.graphql',
        'openapi.json',
        'LICENSE',
        'README.md',
      ]),
    )
    const known = /^(dist\/.*\.(js|tar)|prisma\/migrations\/.*|[a-z]+\.(json|graphql)|[A-Z]+(\.md)?)$/
    expect(paths.filter((path) => !known.test(path) || /\.test\.|\.tsx?$/.test(path))).toEqual([])
  })

  test('runs with npx where there is nothing else: tells its version, checks, and serves', async () => {
    await mkdir(app)
    await writeFile(join(app, 'package.json'), '{ "private": true }')
    const install = ['install', '--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts']
    await run('npm', [...install, join(home, manifest.filename)], { cwd: app })
    expect((await rookery('--version')).stdout).toBe(`${manifest.version}\n`)

    const doctor: unknown = JSON.parse((await rookery('doctor', '--json')).stdout)
    expect(doctor).toMatchObject({ ok: true, checks: expect.any(Array) })
    expect(existsSync(join(app, '.data'))).toBe(false)

    const server = spawn('node_modules/.bin/rookery', ['serve', '--json'], {
      cwd: app,
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    try {
      let printed = ''
      for await (const text of server.stdout) {
        printed += text
        if (printed.endsWith('}\n')) break
      }
      const { graphql, demoToken } = ready.parse(JSON.parse(printed))
      const response = await fetch(graphql, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${demoToken}` },
        body: JSON.stringify({ query: '{ viewer { username } }' }),
      })
      expect(await response.json()).toEqual({ data: { viewer: { username: 'ada' } } })
    } finally {
      const ended = once(server, 'exit')
      server.kill('SIGTERM')
      expect(await ended).toEqual([0, null])
    }
  })
})
