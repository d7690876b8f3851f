import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openDatabase } from '../../src/engine/data/database.ts'
import { createLog } from '../../src/engine/log.ts'
import { runCommand } from '../support/processes/rookery-command.ts'

/** What is refused, what the message names, and the command whose help explains it. */
const usage: readonly (readonly [readonly string[], string, string])[] = [
  [['fly'], "unknown command 'fly'", 'rookery'],
  [['user', 'fly'], "unknown command 'fly'", 'rookery user'],
  [['token', 'create', 'ada', '--scopes', 'post.get,post.fly'], 'reply.like', 'rookery token create'],
  [['token', 'create', 'ada', '--days', '0'], '1 to 36500', 'rookery token create'],
  [['token', 'create', 'ada', '--days', '30', '--no-expiry'], '--days', 'rookery token create'],
  [['token', 'revoke'], '--all-of', 'rookery token revoke'],
  [['user', 'create', 'ada'], '--email', 'rookery user create'],
  [['user', 'create', 'ada', '--email', 'a@example.org', '--password', 'x'], '--password', 'rookery user create'],
  [['user', 'delete', 'ada'], '--yes', 'rookery user delete'],
  [
    ['post', 'delete', ...Array(101).fill('019ab2c4-0000-7000-8000-000000000000')],
    'at most 100',
    'rookery post delete',
  ],
  [['user', 'list', '--limit', '101'], '1 to 100', 'rookery user list'],
  [['user', 'list', '--after', '1'], 'uuid', 'rookery user list'],
  [['documents', 'remove'], '--all', 'rookery documents remove'],
  [['serve', '--port', '8080'], 'Set the environment variable PORT instead.', 'rookery serve'],
]

describe('failures print one line without a stack trace and set the exit code:', { timeout: 120_000 }, () => {
  let home: string
  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'rookery-refusals-'))
  })
  afterAll(() => rm(home, { recursive: true }))

  test.each(usage)('2 for %j', async (args, named, command) => {
    const refused = await runCommand(args, { DATA_DIR: join(home, 'none') })
    expect(refused).toMatchObject({ code: 2, stdout: '' })
    expect(refused.stderr).toMatch(new RegExp(`^error: .*\\n(.*\\n)?See ${command} --help\\.\\n$`))
    expect(refused.stderr).toContain(named)
  })

  test('2 as JSON', async () => {
    const refused = await runCommand(['fly', '--json'], { DATA_DIR: join(home, 'none') })
    expect(refused).toMatchObject({ code: 2, stdout: '' })
    expect(JSON.parse(refused.stderr)).toEqual({ error: { code: 'USAGE', message: expect.any(String) } })
  })

  test('2 for an invalid seed size, without creating a database', async () => {
    const folder = join(home, 'none')
    const refused = await runCommand(['seed', '--users', '0'], { DATA_DIR: folder })
    const line = expect.stringMatching(/^users must be an integer from 1 .*\n$/)
    expect(refused).toEqual({ code: 2, stdout: '', stderr: line })
    expect(existsSync(folder)).toBe(false)
  })

  test('3 for an invalid environment variable', async () => {
    const wrong = { DATA_DIR: join(home, 'none'), LOG_LEVEL: 'loud' }
    const list = ['user', 'list']
    const [refused, asJson] = await Promise.all([runCommand(list, wrong), runCommand([...list, '--json'], wrong)])
    expect(refused).toEqual({ code: 3, stdout: '', stderr: expect.stringMatching(/^LOG_LEVEL is "loud".*\n$/) })
    expect(asJson).toMatchObject({ code: 3, stdout: '' })
    expect(JSON.parse(asJson.stderr)).toMatchObject({ error: { code: 'CONFIGURATION' } })
  })

  test('4 if there is no embedded database, without creating one', async () => {
    const folder = join(home, 'none')
    const refused = await runCommand(['user', 'create', 'ada', '--email', 'ada@example.org'], { DATA_DIR: folder })
    const line = expect.stringMatching(/^DATA_DIR: there is no database in .* Set DATA_DIR .*\n$/)
    expect(refused).toEqual({ code: 4, stdout: '', stderr: line })
    expect(existsSync(folder)).toBe(false)
  })

  test('4 for an unreachable server, without printing the password', async () => {
    const refused = await runCommand(['migrate', '--json'], { DATABASE_URL: 'postgres://ada:secret@127.0.0.1:1/x' })
    expect(refused).toMatchObject({ code: 4, stdout: '' })
    expect(JSON.parse(refused.stderr)).toEqual({
      error: { code: 'DATABASE', message: expect.stringMatching(/ECONNREFUSED .* Start PostgreSQL there/) },
    })
    expect(refused.stderr).not.toContain('secret')
  })
})

test('an unexpected error exits with 1 and prints its stack trace only without --json', {
  timeout: 120_000,
}, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'rookery-refusals-'))
  const env = { DATA_DIR: folder }
  const database = await openDatabase({ kind: 'embedded', folder, opener: 'server' }, createLog('silent'))
  await database.write.prisma.$executeRaw`alter table users rename column display_name to name`
  const [asJson, told] = await Promise.all([
    runCommand(['user', 'list', '--json'], env),
    runCommand(['user', 'list'], env),
  ])
  expect(asJson).toMatchObject({ code: 1, stdout: '' })
  expect(JSON.parse(asJson.stderr)).toEqual({ error: { code: 'INTERNAL', message: expect.any(String) } })
  expect(told).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(/^ +at /m) })
  await database.close()
  await rm(folder, { recursive: true })
})
