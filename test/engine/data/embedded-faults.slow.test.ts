import { spawnSync } from 'node:child_process'
import { rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createFolder } from '../../support/folder.ts'
import { sendPosts } from '../../support/processes/acknowledged-posts.ts'
import { endProcesses, runRookery, type ServerProcess, startRookery } from '../../support/processes/rookery-process.ts'
import { callRest } from '../../support/rest/call.ts'

const succeeds = (command: string, args: string[]) => spawnSync(command, args).status === 0

describe('a server with an embedded database', { timeout: 600_000 }, () => {
  let folder: string
  let remove: () => Promise<void>
  let isMounted = false
  beforeEach(() => {
    isMounted = false
    ;({ folder, remove } = createFolder())
  })
  afterEach(async () => {
    await endProcesses()
    if (isMounted) succeeds('umount', [folder])
    await remove()
  })

  test.runIf(succeeds('unshare', ['--pid', '--fork', 'true']))(
    'is refused for a process in another PID namespace',
    async () => {
      const env = { DATA_DIR: folder, DEMO: 'off' }
      await startRookery(env, ['unshare', '--pid', '--fork', '--kill-child'])
      expect(await runRookery(['serve'], { DATA_DIR: folder, PORT: '0' })).toEqual({
        code: 4,
        stdout: '',
        stderr: expect.stringContaining(`DATA_DIR: ${folder} is in use by process `),
      })
    },
  )

  test.runIf(process.getuid?.() === 0 && process.platform === 'linux')(
    'on a full disk refuses writes, serves reads, and loses no acknowledged write when it is killed',
    async ({ skip }) => {
      isMounted = succeeds('mount', ['-t', 'tmpfs', '-o', 'size=220m', 'tmpfs', folder])
      if (!isMounted) skip('This process may not mount a disk')
      const env = { DATA_DIR: join(folder, 'data') }
      const acknowledged: string[] = []
      const server = await startRookery(env)
      const read = ({ origin, token }: ServerProcess, path: string) => callRest(origin, token, 'GET', path)
      const send = () => callRest(server.origin, server.token, 'POST', '/post', { content: 'Hello' })
      const { bavail, bsize } = statfsSync(folder)
      writeFileSync(join(folder, 'ballast'), Buffer.alloc(bavail * bsize - 2 ** 16))
      await sendPosts(server.origin, server.token, acknowledged)
      // Another post may still fit after one that did not.
      let refused = await send()
      while (refused.ok) refused = await send()
      expect({ status: refused.status, body: await refused.json() }).toMatchObject({
        status: 503,
        body: { code: 'UNAVAILABLE' },
      })
      expect((await read(server, '/user')).status).toBe(200)
      rmSync(join(folder, 'ballast'))
      expect((await send()).status).toBe(200)
      server.signal('SIGKILL')
      await server.ended
      const next = await startRookery(env)
      for (const id of acknowledged) expect((await read(next, `/post/${id}`)).status).toBe(200)
    },
  )
})
