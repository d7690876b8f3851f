import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { claimOn, lockFolder } from '../../../src/data/embedded/folder-lock.ts'
import { socketAddresses } from '../../../src/data/embedded/socket-address.ts'
import { createFolder } from '../../support/database.ts'

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

/** Takes the lock, and releases it. */
async function lockAndRelease(): Promise<void> {
  const release = await lock()
  if (typeof release === 'string') throw new Error(release)
  expect(await lock()).toMatch(`process ${process.pid} on `)
  await release()
}

describe.skipIf(process.platform === 'win32')('the lock of a folder', () => {
  test('is held by one process at a time and leaves nothing behind', async () => {
    await lockAndRelease()
    await lockAndRelease()
    expect(await readdir(folder)).toEqual([])
  })

  test('is taken over from a killed process by exactly one other', async () => {
    await leaveSocket('lock')
    const attempts = await Promise.all(Array.from({ length: 20 }, lock))
    const releases = attempts.filter((attempt) => typeof attempt !== 'string')
    expect(releases).toHaveLength(1)
    await releases[0]?.()
    expect(await readdir(folder)).toEqual([])
  })

  test('is taken over from a process that was killed during a takeover', async () => {
    await leaveSocket('lock')
    await leaveSocket((await claimOn(join(folder, 'lock'))) ?? '')
    expect(await readdir(folder)).toHaveLength(2)
    await lockAndRelease()
    expect(await readdir(folder)).toEqual([])
  })

  test('replaces the lock file of an older version', async () => {
    await writeFile(join(folder, 'lock'), '4194305 1 a\n')
    await lockAndRelease()
  })
})
