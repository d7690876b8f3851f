import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { stat } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestApp } from '../support/app.ts'
import { type CommandDatabase, commandDatabase } from '../support/command-database.ts'
import { createFolder } from '../support/database.ts'
import { rookeryProgram, runRookery } from '../support/rookery-process.ts'

const { folder, remove } = createFolder()
let database: CommandDatabase
let app: TestApp
beforeAll(async () => {
  database = await commandDatabase()
  app = await database.serve()
  await app.person('robin')
})
afterAll(async () => {
  await app.close()
  await database.remove()
  await remove()
})

/** Runs a command after which stdout is redirected by the shell. */
const run = (args: readonly string[], shell: string) => runRookery(args, database.env, '', ['sh', '-c', shell, 'sh'])
const onFullDisk = (...args: readonly string[]) => run(args, 'exec "$@" > /dev/full')
const liveTokens = () => app.database.write.prisma.accessToken.count({ where: { name: { not: 'Test' } } })

test.each([
  [['--help']],
  [['schema']],
  [['user', 'list']],
  [['user', 'suspend', 'robin', '--json']],
])('%j on a full disk exits with 1 and one line', async (args) => {
  const { code, stderr } = await onFullDisk(...args)
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/^.*output .* ENOSPC.*\n$/) })
})
