import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { lockFolder, type Release, socketAddresses } from '../../../../src/engine/data/embedded/folder-lock.ts'
import { createFolder } from '../../../support/folder.ts'

let folder: string
let remove: () => Promise<void>
beforeEach(() => {
  ;({ folder, remove } = createFolder())
})
afterEach(() => remove())

const lock = async () => lockFolder(folder, await socketAddresses(folder))

/** A socket without a listener, as a killed process leaves it. */
async function leaveSocket(name: string): Promise<void> {
  const source = `require('node:net').createServer().listen(${JSON.stringify(join(folder, name))}, () => console.log('listening'))`
  const child = spawn(process.execPath, ['--eval', source], { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(child.stdout, 'data')
  child.kill('SIGKILL')
  await once(child, 'exit')
}

describe.skipIf(process.platform === 'win32')('the lock of a folder', () => {
  test('is held by one process at a time, and leaves nothing behind but other files', async () => {
    await writeFile(join(folder, 'lock'), '')
    for (const _round of [1, 2]) {
      const release = await lock()
      if (typeof release === 'string') throw new Error(release)
      expect(await lock()).toBe(`process ${process.pid}`)
      release()
    }
    expect(await readdir(folder)).toEqual(['lock'])
  })

  test('is taken over from a killed process by exactly one of many others', async () => {
    await leaveSocket('lock.1.01234567')
    const releases: Release[] = []
    const attempt = async (): Promise<void> => {
      while (releases.length === 0) {
        const release = await lock()
        if (typeof release !== 'string') releases.push(release)
        await sleep(100 * Math.random())
      }
    }
    await Promise.all(Array.from({ length: 20 }, attempt))
    expect(releases).toHaveLength(1)
    expect(await lock()).toBe(`process ${process.pid}`)
    releases[0]?.()
    expect(await readdir(folder)).toEqual([])
  })
})
