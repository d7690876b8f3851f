import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { v7 as uuid } from 'uuid'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openDatabase } from '../../src/data/database.ts'
import { DatabaseError } from '../../src/data/database-error.ts'
import { lockFolder } from '../../src/data/folder-lock.ts'
import { createLog } from '../../src/log.ts'
import { onPostgres } from '../support/database.ts'

const log = createLog('silent')
let folder: string
let child: ChildProcess | undefined
beforeEach(async () => {
  folder = join(await mkdtemp(join(tmpdir(), 'rookery-embedded-')), 'data')
})
afterEach(async () => {
  child?.kill('SIGKILL')
  await rm(join(folder, '..'), { recursive: true })
})

const open = () => openDatabase({ kind: 'embedded', folder }, log)

// Another process that runs a script after opening the folder, says so, and stays until it is killed.
async function openInAnotherProcess(script = ''): Promise<ChildProcess> {
  const source = `
    import { createViteServer } from 'vitest/node'
    const vite = await createViteServer({ configFile: false, server: { middlewareMode: true, ws: false, watch: null } })
    const { openDatabase } = await vite.ssrLoadModule('/src/data/database.ts')
    const { createLog } = await vite.ssrLoadModule('/src/log.ts')
    const options = { kind: 'embedded', folder: ${JSON.stringify(folder)} }
    const database = await openDatabase(options, createLog('silent'))
    ${script}
    console.log('ready')
    setInterval(() => database, 1000)
  `
  const other = spawn(process.execPath, ['--input-type=module', '--eval', source], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  child = other
  // Vite may have something to say first.
  for await (const line of createInterface(other.stdout)) if (line === 'ready') return other
  throw new Error('The other process ended before it was ready.')
}

async function kill(process: ChildProcess): Promise<void> {
  process.kill('SIGKILL')
  await once(process, 'exit')
}

describe.skipIf(onPostgres)('an embedded database', () => {
  test('keeps its data from one opening to the next', async () => {
    const id = uuid()
    const first = await open()
    expect(first.kind).toBe('embedded')
    await first.write.badge.create({ data: { id, name: 'kept' } })
    await first.close()
    await first.close()
    expect((await readdir(folder)).sort()).toEqual(['database'])

    const second = await open()
    expect(await second.read.badge.findMany()).toEqual([{ id, name: 'kept' }])
    await second.close()
  })

  test('is refused to a second opening, by its folder and the process that has it', async () => {
    const first = await open()
    await expect(open()).rejects.toThrow(
      `DATA_DIR: ${folder} is in use by process ${process.pid}. Stop that process, or set DATA_DIR to another folder.`,
    )
    await first.ping()
    await first.close()
  })

  test('is refused while another process has it, and taken over with its data when that was killed', async () => {
    const other = await openInAnotherProcess(
      `await database.write.badge.create({ data: { id: '${uuid()}', name: 'survived' } })`,
    )
    await expect(open()).rejects.toThrow(`DATA_DIR: ${folder} is in use by process ${other.pid}.`)
    await kill(other)
    const database = await open()
    expect(await database.read.badge.findMany()).toMatchObject([{ name: 'survived' }])
    await database.close()
  })

  test('is made anew when its making was cut short', async () => {
    await mkdir(join(folder, 'database.new'), { recursive: true })
    await writeFile(join(folder, 'database.new', 'PG_VERSION'), '1')
    const database = await open()
    await database.ping()
    await database.close()
    expect(await readdir(folder)).toEqual(['database'])
  })

  test('is refused in a folder that cannot be one, and one that holds something else', async () => {
    await writeFile(folder, '')
    await expect(open()).rejects.toThrow(new RegExp(`^DATA_DIR: cannot use ${folder}: `))
    await rm(folder)
    await mkdir(join(folder, 'database'), { recursive: true })
    await writeFile(join(folder, 'database', 'PG_VERSION'), '9')
    await expect(open()).rejects.toThrow(new RegExp(`^DATA_DIR: cannot use ${folder}: `))
    expect(await readdir(folder)).toEqual(['database'])
  })
})

describe.skipIf(onPostgres)('the lock of a folder', () => {
  // No process has this number: it is above what Linux gives.
  const dead = (id: string) => `4194305 1 ${id}\n`

  test('of a dead process is taken over by one of many', async () => {
    await mkdir(folder)
    await writeFile(join(folder, 'lock'), dead('a'))
    const attempts = await Promise.allSettled(Array.from({ length: 20 }, () => lockFolder(folder)))
    const won = attempts.filter((attempt) => attempt.status === 'fulfilled')
    expect(won).toHaveLength(1)
    for (const attempt of attempts)
      if (attempt.status === 'rejected') expect(attempt.reason).toBeInstanceOf(DatabaseError)
    await won[0]?.value()
    expect(await readdir(folder)).toEqual([])
  })

  test('is taken over also where a process died while taking it over', async () => {
    await mkdir(folder)
    await writeFile(join(folder, 'lock'), dead('a'))
    await writeFile(join(folder, 'lock.after-a'), dead('b'))
    const unlock = await lockFolder(folder)
    await expect(lockFolder(folder)).rejects.toThrow(DatabaseError)
    await unlock()
    expect(await readdir(folder)).toEqual([])
  })

  test.runIf(process.platform === 'linux')('of a process whose number was given to another is taken over', async () => {
    await mkdir(folder)
    await writeFile(join(folder, 'lock'), `${process.pid} 1 a\n`)
    const unlock = await lockFolder(folder)
    await unlock()
  })
})
