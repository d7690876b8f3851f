import { readFile, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { onPostgres } from '../support/database.ts'
import { createFolder } from '../support/folder.ts'
import { type CommandDatabase, commandDatabase } from '../support/processes/command-database.ts'
import { endProcesses, type ServerProcess, startRookery } from '../support/processes/rookery-process.ts'

const { folder, remove } = createFolder()
let database: CommandDatabase
beforeAll(async () => {
  database = await commandDatabase()
})
afterEach(endProcesses)
afterAll(async () => {
  await database.remove()
  await remove()
})

/** Starts a server with these commands of the shell before, of which the last redirects the log. */
const start = (...commands: readonly string[]) =>
  startRookery({ ...database.env, RATE_LIMIT: 'off' }, ['sh', '-c', `${commands.join(' && ')}`, 'sh'])

/** Sends requests whose lines are longer than a pipe that nobody reads takes, which is 64 KiB. */
async function sendMany({ origin }: ServerProcess): Promise<void> {
  const path = `/${'a'.repeat(1_000)}`
  for (let requests = 0; requests < 200; requests += 1) {
    const { status } = await fetch(origin + path, { signal: AbortSignal.timeout(5_000) })
    expect(status).toBe(404)
  }
}

test.each([
  ['nobody reads', [`mkfifo "${folder}/unread"`, `exec "$@" 2<> "${folder}/unread"`]],
  ['whose disk is full', ['exec "$@" 2> /dev/full']],
  [
    'whose reader is gone',
    [`mkfifo "${folder}/gone"`, `exec 3<> "${folder}/gone" 4> "${folder}/gone"`, 'exec "$@" 2>&4 3<&- 4>&-'],
  ],
])('a log %s delays neither requests nor the stop', async (_what, commands) => {
  const server = await start(...commands)
  await sendMany(server)
  server.signal('SIGTERM')
  expect(await server.ended).toMatchObject({ code: 0 })
})

// The embedded database would have the same limit.
test.runIf(onPostgres)('a log goes on when its disk has space again', async () => {
  const file = join(folder, 'log')
  const server = await start('ulimit -f 8', `exec "$@" 2>> "${file}"`)
  await sendMany(server)
  expect((await readFile(file)).length).toBe(4_096)
  await truncate(file)
  const requestId = '019ab2c4-0000-7000-8000-000000000000'
  await fetch(server.origin, { headers: { 'x-request-id': requestId } })
  await expect.poll(() => readFile(file, 'utf8')).toContain('"answered"')
  server.signal('SIGTERM')
  expect(await server.ended).toMatchObject({ code: 0 })
})
