import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createServerDatabase, onPostgres } from './support/database.ts'
import { callRest } from './support/rest-call.ts'
import { endProcesses, runRookery, type ServerProcess, startRookery } from './support/rookery-process.ts'

const tokenLine = /^rookery_[\w-]{43}\n$/
const oneLine = (start: string) => expect.stringMatching(new RegExp(`^${start}.*\\n$`))

async function statusOf({ origin }: ServerProcess, token: string, path: string): Promise<number> {
  return (await callRest(origin, token, 'GET', path)).status
}

describe('the commands', { timeout: 90_000 }, () => {
  let env: Record<string, string>
  let remove: () => Promise<void>
  beforeAll(async () => {
    if (onPostgres) {
      const { url, drop } = await createServerDatabase()
      env = { DATABASE_URL: url, LOG_LEVEL: 'warn' }
      remove = drop
    } else {
      const folder = await mkdtemp(join(tmpdir(), 'rookery-cli-'))
      env = { DATA_DIR: folder, DEMO: 'off', LOG_LEVEL: 'warn' }
      remove = () => rm(folder, { recursive: true })
    }
    const migrated = { code: 0, stdout: expect.stringMatching(/^.+\n$/), stderr: '' }
    expect(await runRookery(['migrate'], env)).toEqual(migrated)
    expect(await runRookery(['migrate'], env)).toEqual(migrated)
    const size = ['--users', '20', '--posts', '100', '--likes', '50', '--follows', '50']
    expect(await runRookery(['seed', ...size], env)).toMatchObject({ code: 0, stderr: '' })
  }, 90_000)
  afterEach(endProcesses)
  afterAll(() => remove())

  test('issue a token of somebody, with the scopes that were named', async () => {
    const narrow = await runRookery(['token', '--user', 'ADA', '--scopes', 'post.get, reply.get'], env)
    const wide = await runRookery(['token', '--user', 'ada'], env)
    for (const issued of [narrow, wide]) {
      expect(issued).toEqual({ code: 0, stdout: expect.stringMatching(tokenLine), stderr: '' })
    }
    const server = await startRookery(env)
    expect(server.stdout).not.toContain('rookery_')
    const paths = ['/user', '/post/019ab2c4-0000-7000-8000-000000000000']
    const statuses = (token: string) => Promise.all(paths.map((path) => statusOf(server, token.trim(), path)))
    expect(await statuses(narrow.stdout)).toEqual([403, 404])
    expect(await statuses(wide.stdout)).toEqual([200, 404])
    server.signal('SIGTERM')
    expect(await server.ended).toMatchObject({ code: 0 })
  })

  test('issue none for an unknown user, or one who cannot be', async () => {
    for (const user of ['nobody_here', "'; drop table users; --"]) {
      const refused = await runRookery(['token', '--user', user], env)
      expect(refused).toEqual({ code: 1, stdout: '', stderr: oneLine('There is no such user') })
    }
  })

  test('issue none with an unknown scope, and say which there are', async () => {
    const refused = await runRookery(['token', '--user', 'ada', '--scopes', 'post.get,post.fly'], env)
    expect(refused).toMatchObject({ code: 1, stdout: '' })
    expect(refused.stderr).toContain('post.get,post.fly')
    expect(refused.stderr).toContain('reply.like')
  })

  test('fill no database that has somebody', async () => {
    const refused = await runRookery(['seed'], env)
    expect(refused).toEqual({ code: 1, stdout: '', stderr: oneLine('The database has users already') })
  })

  test('start on a server without a demo, and answer for its health', async () => {
    const server = await startRookery(env)
    expect(server.token).toBe('')
    const health = await Promise.all(
      ['live', 'ready'].map(async (path) => (await fetch(`${server.origin}/health/${path}`)).status),
    )
    expect(health).toEqual([200, 200])
  })
})

describe.skipIf(onPostgres)('the commands, without a database,', () => {
  test('print the schema', async () => {
    const text = await readFile(new URL('../schema.graphql', import.meta.url), 'utf8')
    expect(await runRookery(['schema'], {})).toEqual({ code: 0, stdout: text, stderr: '' })
  })

  test('print the OpenAPI document', async () => {
    const text = await readFile(new URL('../openapi.json', import.meta.url), 'utf8')
    expect(await runRookery(['schema', '--openapi'], {})).toEqual({ code: 0, stdout: text, stderr: '' })
  })

  test('tell of one another', async () => {
    const help = await runRookery(['--help'], {})
    expect(help).toMatchObject({ code: 0, stderr: '' })
    for (const name of ['serve', 'migrate', 'seed', 'token', 'schema'])
      expect(help.stdout).toMatch(new RegExp(`^ +${name}\\b`, 'm'))
  })

  test.each([
    [['fly'], "unknown command 'fly'"],
    [['token'], '--user'],
    [['seed', '--users', 'many'], '--users'],
    [['schema', '--fast'], '--fast'],
  ])('refuse %j', async (args, named) => {
    const refused = await runRookery(args, { DATA_DIR: '/nowhere' })
    expect(refused).toMatchObject({ code: 1, stdout: '' })
    expect(refused.stderr).toContain(named)
  })
})
