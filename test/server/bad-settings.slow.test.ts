import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { portOf } from '../support/http/port.ts'
import { endProcesses, runRookery } from '../support/processes/rookery-process.ts'

describe('an invalid setting stops the process with one line that names it', { timeout: 120_000 }, () => {
  let home: string
  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'rookery-settings-'))
    await writeFile(join(home, 'file'), '')
  })
  afterEach(endProcesses)
  afterAll(() => rm(home, { recursive: true }))

  test.each([
    ['DATABASE_URL', 'postgres://ada:secret@127.0.0.1:1/rookery'],
    ['DATA_DIR', 'file'],
  ])('%s=%s', async (name, value) => {
    const setting = name === 'DATA_DIR' ? join(home, value) : value
    const { code, stdout, stderr } = await runRookery(['serve'], { DATA_DIR: join(home, 'data'), [name]: setting })
    expect({ code, stdout }).toEqual({ code: 4, stdout: '' })
    expect(stderr).toMatch(new RegExp(`^${name}\\b.*\\n$`))
    expect(stderr).not.toContain('secret')
  })

  test('a PORT in use or a HOST of another machine, before a database is created', async () => {
    const folder = { DATA_DIR: join(home, 'never-made'), DEMO: 'off' }
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const port = String(portOf(other))
    const taken = await runRookery(['serve'], { ...folder, PORT: port })
    const alsoTaken = await runRookery(['serve'], { ...folder, PORT: '0', METRICS_PORT: port })
    other.close()
    expect(alsoTaken.stderr).toMatch(new RegExp(`^METRICS_PORT is ${port}\\b.*\\n$`))
    expect(taken).toEqual({
      code: 3,
      stdout: '',
      stderr: expect.stringMatching(new RegExp(`^PORT is ${port}\\b.*\\n$`)),
    })

    // Reserved for documentation (RFC 5737), so no machine has it.
    const foreign = await runRookery(['serve'], { ...folder, HOST: '192.0.2.1', PORT: '0' })
    expect(foreign).toEqual({ code: 3, stdout: '', stderr: expect.stringMatching(/^HOST is 192\.0\.2\.1\b.*\n$/) })
    expect(existsSync(folder.DATA_DIR)).toBe(false)
  })

  test('a RULES_FILE that cannot be read, before a database is created', async () => {
    const folder = { DATA_DIR: join(home, 'never-made'), DEMO: 'off' }
    const { code, stdout, stderr } = await runRookery(['serve'], {
      ...folder,
      PORT: '0',
      RULES_FILE: join(home, 'none'),
    })
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' })
    expect(stderr).toMatch(/^RULES_FILE is ".*none"; it cannot be read: .*\n$/)
    expect(existsSync(folder.DATA_DIR)).toBe(false)
  })
})
