import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { createFolder } from '../support/folder.ts'

const { folder, remove } = createFolder()
afterAll(remove)

/** Writes its process id, and runs until it is ended. */
const endless = `#!/usr/bin/env node
require('node:fs').appendFileSync('pids', process.pid + ' ')
setInterval(() => {}, 1_000)
`

/** Runs another program, and passes no signals on. */
const wrapper = `#!/usr/bin/env node
require('node:child_process').execFileSync('node_modules/.bin/vitest')
`

const programs = {
  'dist/cli/main.js': endless,
  'src/browser/build.js': endless,
  'examples/dist/live.js': endless,
  'node_modules/.bin/vitest': endless,
  'node_modules/.bin/tsc': wrapper,
}

// Scripts of npm in a folder where all that they run is endless.
beforeAll(async () => {
  const { scripts } = z
    .object({ scripts: z.record(z.string(), z.string()) })
    .parse(JSON.parse(await readFile('package.json', 'utf8')))
  const quick = { build: 'true', static: 'true' }
  await writeFile(join(folder, 'package.json'), JSON.stringify({ scripts: { ...scripts, ...quick } }))
  for (const [program, text] of Object.entries(programs)) {
    await mkdir(join(folder, dirname(program)), { recursive: true })
    await writeFile(join(folder, program), text, { mode: 0o700 })
  }
  await cp('src/dev.sh', join(folder, 'src/dev.sh'))
})

const isRunning = (pid: number) => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

test('npm installs what the build needs in production, too', () => {
  const asked = execFileSync('npm', ['config', 'get', 'include'], { env: { ...process.env, NODE_ENV: 'production' } })
  expect(String(asked).trim()).toBe('dev')
})

test.each([
  ['start', 1],
  ['dev', 3],
  ['example -- live', 1],
  ['test', 1],
  ['test:one', 1],
])('SIGTERM to npm ends what "npm run %s" started', async (script, count) => {
  await writeFile(join(folder, 'pids'), '')
  const npm = spawn('npm', ['run', '--silent', ...script.split(' ')], { cwd: folder, stdio: 'ignore' })
  const pids = async () => (await readFile(join(folder, 'pids'), 'utf8')).split(' ').filter(Boolean).map(Number)
  await expect.poll(async () => (await pids()).length).toBe(count)
  const started = await pids()
  onTestFinished(() => {
    for (const pid of started) if (isRunning(pid)) process.kill(pid, 'SIGKILL')
  })
  npm.kill('SIGTERM')
  await once(npm, 'close')
  await expect.poll(() => started.filter(isRunning)).toEqual([])
})
