import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import type { TestApp } from '../support/app.ts'
import { createFolder } from '../support/folder.ts'
import { type CommandDatabase, commandDatabase } from '../support/processes/command-database.ts'
import { rookeryProgram, runRookery } from '../support/processes/rookery-process.ts'

const { folder, remove } = createFolder()
let database: CommandDatabase
let app: TestApp
beforeAll(async () => {
  database = await commandDatabase()
  app = await database.serve()
  await app.database.write.prisma.user.create({
    data: { id: '019ab2c4-0000-7000-8000-000000000000', username: 'robin', displayName: 'R', email: 'r@example.org' },
  })
})
afterAll(async () => {
  await app.close()
  await database.remove()
  await remove()
})

/** Runs a command whose standard streams the shell redirects. */
const redirected = (redirection: string, ...args: readonly string[]) =>
  runRookery(args, database.env, '', ['sh', '-c', `exec "$@" ${redirection}`, 'sh'])
const tokens = () => app.database.write.prisma.accessToken.count()

test.each([
  ['--help'],
  ['--version'],
  ['schema'],
  ['user list'],
  ['user list --json'],
  ['user export robin'],
  ['doctor'],
])('%s on a full disk exits with 1 and says why', async (command) => {
  const { code, stderr } = await redirected('> /dev/full', ...command.split(' '))
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/^(.*ENOSPC.*\n)+$/) })
})

test('output that the disk takes only the beginning of is a failure', async () => {
  const limited = ['sh', '-c', `ulimit -f 8 && exec "$@" > "${join(folder, 'schema')}"`, 'sh']
  const { code, stderr } = await runRookery(['schema'], {}, '', limited)
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/^The output .* EFBIG.*\n$/) })
})

test('a token that cannot be printed is revoked', async () => {
  const full = await redirected('> /dev/full', 'token', 'create', 'robin')
  expect(full).toMatchObject({ code: 1, stderr: expect.stringMatching(/^The token was revoked\. The output .*\n$/) })
  const args = [rookeryProgram, 'token', 'create', 'robin', '--json']
  const child = spawn(process.execPath, args, { env: database.env, stdio: ['ignore', 'pipe', 'pipe'] })
  child.stdout.destroy()
  const [stderr] = await Promise.all([text(child.stderr), once(child, 'close')])
  expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'OUTPUT', message: expect.stringContaining('EPIPE') } })
  expect(child.exitCode).toBe(1)
  expect(await tokens()).toBe(0)
})

test('a password that cannot be printed has to be set again', async () => {
  const { code, stderr } = await redirected('> /dev/full', 'user', 'create', 'wren', '--email', 'w@example.org')
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringMatching(
      /^The new password could not be shown\. Set another one: rookery user reset-password wren\. The output .*\n$/,
    ),
  })
})

test('an error that cannot be printed has its exit code', async () => {
  expect(await redirected('2> /dev/full', 'token', 'create', 'nobody')).toMatchObject({ code: 1, stdout: '' })
  expect(await redirected('2> /dev/full', 'token', 'fly')).toMatchObject({ code: 2, stdout: '' })
  expect(await redirected('2> /dev/full', 'token')).toMatchObject({ code: 2, stdout: '' })
})

test('a server that cannot print its addresses serves, and stops', async () => {
  const full = await open('/dev/full', 'w')
  const env = { ...database.env, DATA_DIR: folder, DEMO: 'off', PORT: '0' }
  const child = spawn(process.execPath, [rookeryProgram, 'serve'], { env, stdio: ['ignore', full.fd, 'pipe'] })
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await full.close()
  })
  let log = ''
  child.stderr?.on('data', (text) => {
    log += text
  })
  await expect.poll(() => log).toContain('could not be printed')
  const [, origin] = /"origin":"([^"]+)"/.exec(log) ?? []
  expect((await fetch(`${origin}/health/live`)).status).toBe(200)
  child.kill('SIGTERM')
  expect(await once(child, 'close')).toEqual([0, null])
})
