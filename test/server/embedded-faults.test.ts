import { spawnSync } from 'node:child_process'
import { rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openDatabase } from '../../src/data/database.ts'
import { connectionTo, socketName } from '../../src/data/embedded/socket-address.ts'
import { accountId, issueTokenTo } from '../../src/domain/administration.ts'
import { createLog } from '../../src/log.ts'
import { scopes } from '../../src/scopes.ts'
import { seed } from '../../src/seed/seed.ts'
import { sendPosts } from '../support/acknowledged-posts.ts'
import { createFolder, onPostgres } from '../support/database.ts'
import { callRest } from '../support/rest-call.ts'
import { endProcesses, runRookery, type ServerProcess, startRookery } from '../support/rookery-process.ts'

const succeeds = (command: string, args: string[]) => spawnSync(command, args).status === 0

describe.skipIf(onPostgres)('a server with an embedded database', { timeout: 600_000 }, () => {
  let folder: string
  let remove: () => Promise<void>
  beforeEach(() => {
    ;({ folder, remove } = createFolder())
  })
  afterEach(async () => {
    await endProcesses()
    await remove()
  })

  const open = () => openDatabase({ kind: 'embedded', folder, opener: 'command' }, createLog('silent'))
  const start = (wrapper?: readonly string[]) => startRookery({ DATA_DIR: folder, DEMO: 'off' }, wrapper)
  const send = ({ origin, token }: ServerProcess) => callRest(origin, token, 'POST', '/post', { content: 'Hello' })
  const read = ({ origin, token }: ServerProcess) => callRest(origin, token, 'GET', '/user')
  const health = async ({ origin }: ServerProcess, what: 'live' | 'ready') =>
    (await fetch(`${origin}/health/${what}`)).status

  /**
   * Creates the folder's database with one account, and returns a token of it. A start without the demo takes little more than half as
   * long.
   */
  async function writersToken(): Promise<string> {
    const database = await open()
    await seed(database, { users: 1, posts: 0, likes: 0, follows: 0, seed: 1, now: new Date() })
    const userId = await accountId(database, 'ada')
    const { token } = await issueTokenTo(database, { userId, name: 'Writer', scopes, expiresAt: null })
    await database.close()
    return token
  }

  test('killed 20 times under load restarts without losing acknowledged writes', async () => {
    const token = await writersToken()
    const acknowledged: string[] = []
    for (let round = 0; round < 20; round += 1) {
      const server = await start()
      const before = acknowledged.length
      const clients = Array.from({ length: 4 }, () => sendPosts(server.origin, token, acknowledged))
      // At a different time in each round, but after the load has begun.
      await expect.poll(() => acknowledged.length, { interval: 7, timeout: 60_000 }).toBeGreaterThan(before + round)
      server.signal('SIGKILL')
      await Promise.all(clients)
      await server.ended
    }
    const database = await open()
    const stored = await database.write.prisma.publication.findMany({
      where: { id: { in: acknowledged } },
      select: { id: true },
    })
    await database.close()
    expect(acknowledged.length).toBeGreaterThan(200)
    expect(stored.map(({ id }) => id).sort()).toEqual(acknowledged.toSorted())
  })

  test('is used by only one of several servers that start at once', async () => {
    for (let round = 0; round < 3; round += 1) {
      const attempts = await Promise.allSettled(Array.from({ length: 3 }, () => start()))
      const refused = attempts.filter((attempt) => attempt.status === 'rejected')
      expect(refused).toHaveLength(2)
      for (const { reason } of refused) expect(String(reason)).toContain('It ended with 4: DATA_DIR: ')
      await endProcesses()
    }
  })

  test.runIf(succeeds('unshare', ['--pid', '--fork', 'true']))(
    'is refused for a process in another PID namespace',
    async () => {
      const unshare = ['unshare', '--pid', '--fork', '--kill-child'] as const
      const inside = await start(unshare)
      const refusal = {
        code: 4,
        stdout: '',
        stderr: expect.stringContaining(`DATA_DIR: ${folder} is in use by process `),
      }
      expect(await runRookery(['serve'], { DATA_DIR: folder, PORT: '0' })).toEqual(refusal)
      inside.signal('SIGKILL')
      await inside.ended
      await start()
      expect(await runRookery(['serve'], { DATA_DIR: folder, PORT: '0' }, undefined, unshare)).toEqual(refusal)
    },
  )

  test('stays alive during a long statement and is ready again after its time limit', async () => {
    const server = await startRookery({ DATA_DIR: folder })
    const client = new pg.Client({
      ...connectionTo(join(folder, socketName(5432))),
      statement_timeout: 5_000,
    })
    client.on('error', () => undefined)
    await client.connect()
    const endless = client.query('SELECT pg_sleep(600)')
    let isOver = false
    const over = endless
      .catch(() => undefined)
      .finally(() => {
        isOver = true
      })
    const readOnceNotReady = async () => {
      await expect.poll(() => health(server, 'ready'), { timeout: 60_000 }).toBe(503)
      expect(isOver).toBe(false)
      return read(server)
    }
    const waiting = readOnceNotReady()
    let answers = 0
    while (!isOver) {
      expect(await health(server, 'live')).toBe(200)
      answers += 1
      await sleep(50)
    }
    await over
    expect(answers).toBeGreaterThan(3)
    const interrupted = await waiting
    expect({ status: interrupted.status, body: await interrupted.json() }).toMatchObject({ status: 503 })
    await expect(endless).rejects.toThrow()
    await expect.poll(() => health(server, 'ready'), { timeout: 60_000 }).toBe(200)
    expect((await send(server)).status).toBe(200)
  })

  describe.runIf(process.getuid?.() === 0 && process.platform === 'linux')('on a full disk', () => {
    let disk: string
    let isMounted = false
    beforeEach(() => {
      disk = folder
      isMounted = succeeds('mount', ['-t', 'tmpfs', '-o', 'size=220m', 'tmpfs', disk])
    })
    afterEach(async () => {
      await endProcesses()
      succeeds('umount', [disk])
    })

    /** Fills the disk up to this many free bytes. */
    function fill(left: number): void {
      const { bavail, bsize } = statfsSync(disk)
      writeFileSync(join(disk, 'ballast'), Buffer.alloc(bavail * bsize - left))
    }

    test('refuses writes and serves reads until there is space', async ({ skip }) => {
      if (!isMounted) skip('This process may not mount a disk')
      const server = await startRookery({ DATA_DIR: join(disk, 'data') })
      expect((await send(server)).status).toBe(200)
      for (const left of [40 * 2 ** 20, 0]) {
        fill(left)
        const refused = await send(server)
        expect(refused.status).toBe(503)
        expect(await refused.json()).toMatchObject({ code: 'UNAVAILABLE' })
        expect((await read(server)).status).toBe(200)
        expect(await health(server, 'ready')).toBe(200)
        rmSync(join(disk, 'ballast'))
        expect((await send(server)).status).toBe(200)
      }
      fill(0)
      server.signal('SIGTERM')
      expect(await server.ended).toMatchObject({ code: 0 })
    })
  })
})
