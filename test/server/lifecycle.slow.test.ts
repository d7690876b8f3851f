import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openDatabase } from '../../src/engine/data/database.ts'
import { createLog } from '../../src/engine/log.ts'
import type { Outcome } from '../support/processes/program.ts'
import { endProcesses, type ServerProcess, startRookery } from '../support/processes/rookery-process.ts'
import { callRest } from '../support/rest/call.ts'

/** The paths of a post and of the viewer over REST. */
async function rest({ origin }: ServerProcess, token: string, path: string, body?: object) {
  const response = await callRest(origin, token, body ? 'POST' : 'GET', path, body)
  const content: unknown = await response.json()
  return { status: response.status, body: content }
}

/** Sends the header of a POST request, and waits until the server asks for the body. */
async function beginPost({ origin, token }: ServerProcess) {
  const body = JSON.stringify({ content: 'Under way' })
  const message = request(`${origin}/api/v1/post`, {
    method: 'POST',
    agent: false,
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'content-length': body.length,
      expect: '100-continue',
    },
  })
  const status = new Promise<number | undefined>((resolve, reject) => {
    message.on('error', reject).on('response', (response) => resolve(response.resume().statusCode))
  })
  message.flushHeaders()
  await once(message, 'continue')
  return (): Promise<number | undefined> => {
    message.end(body)
    return status
  }
}

async function countsIn(folder: string) {
  const database = await openDatabase({ kind: 'embedded', folder, opener: 'command' }, createLog('silent'))
  const counts = {
    users: await database.write.prisma.user.count(),
    publications: await database.write.prisma.publication.count(),
  }
  await database.close()
  return counts
}

// One server for many tests, because starting it is slow.
describe('a server with an embedded database', { timeout: 300_000 }, () => {
  let home: string
  let first: ServerProcess
  let firstCounts: unknown
  let notifications: unknown
  let firstEnd: Outcome

  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'rookery-lifecycle-'))
    const folder = join(home, 'data')
    first = await startRookery({ DATA_DIR: folder })
    expect(await rest(first, first.token, '/user')).toMatchObject({ status: 200, body: { username: 'ada' } })
    notifications = (await rest(first, first.token, '/notifications')).body
    firstCounts = await countsIn(folder)
    first.signal('SIGTERM')
    firstEnd = await first.ended
  }, 300_000)
  afterAll(() => rm(home, { recursive: true }))

  test('says what it creates at the first start, and then in five lines what to do next', () => {
    expect(first.stdout).toMatch(/^Creating a database with a demo network in \/.*\/data …\n\nRookery is ready\.\n/)
    expect(first.stdout.split('Rookery is ready.\n\n')[1]?.trimEnd().split('\n')).toEqual([
      `  Open   ${first.origin}/`,
      `  Token  ${first.token}`,
      `  Try    curl -H 'Authorization: Bearer ${first.token}' ${first.origin}/api/v1/user`,
      `  Data   ${join(home, 'data')}`,
      '  Stop   Ctrl-C. The data is kept, and the token ends',
    ])
    expect(first.origin).toMatch(/^http:\/\/127\.0\.0\.1:[1-9]\d*$/)
    expect(first.token).toMatch(/^rookery_/)
    expect(firstEnd).toMatchObject({ code: 0 })
  })

  test('has notifications of each kind that accounts cause', () => {
    expect(notifications).toMatchObject({
      notifications: [
        { kind: 'quote' },
        { kind: 'mention' },
        { kind: 'reply' },
        { kind: 'follow', count: 4 },
        { kind: 'repost', count: 4 },
        { kind: 'like', count: 4 },
      ],
    })
  })

  describe('that is started again', () => {
    let folder: string
    let server: ServerProcess
    beforeAll(async () => {
      folder = join(home, 'data')
      server = await startRookery({ DATA_DIR: folder })
    })
    afterAll(endProcesses)

    test('keeps its demo network and refuses the token of the first start', async () => {
      expect(firstCounts).toEqual({ users: 50, publications: 1003 })
      expect(await countsIn(folder)).toEqual({ users: 50, publications: 1003 })
      expect(server.token).not.toBe(first.token)
      expect(server.stdout).toMatch(/^\nRookery is ready\.\n/)
      expect(await rest(server, server.token, '/user')).toMatchObject({ status: 200 })
      expect(await rest(server, first.token, '/user')).toMatchObject({ status: 401, body: { code: 'UNAUTHENTICATED' } })
    })

    test('finishes running requests on SIGINT', async () => {
      const finish = await beginPost(server)
      server.signal('SIGINT')
      const isRefused = () =>
        fetch(`${server.origin}/health/live`).then(
          () => false,
          () => true,
        )
      await expect.poll(isRefused, { timeout: 60_000 }).toBe(true)
      expect(await finish()).toBe(200)
      expect(await server.ended).toMatchObject({ code: 0 })
      expect(await countsIn(folder)).toEqual({ users: 50, publications: 1004 })
    })
  })

  test('with DEMO=off has no accounts and no token', async () => {
    const folder = join(home, 'empty')
    const server = await startRookery({ DATA_DIR: folder, DEMO: 'off' })
    expect(server.stdout).not.toContain('rookery_')
    expect(server.stdout).toMatch(/^Creating a database in \//)
    expect(await countsIn(folder)).toEqual({ users: 0, publications: 0 })
    server.signal('SIGTERM')
    expect(await server.ended).toMatchObject({ code: 0 })
  })
})
