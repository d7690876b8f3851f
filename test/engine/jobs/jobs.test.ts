import { randomUUID } from 'node:crypto'
import { afterAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import type { Database } from '../../../src/engine/data/database.ts'
import { addJob, type JobKind, removeJob, startJobs, takeJob } from '../../../src/engine/jobs/jobs.ts'
import { readConfig } from '../../../src/server/config.ts'
import { addCleanUp, jobKindsOf } from '../../../src/server/jobs.ts'
import { measure } from '../../../src/server/metrics-port.ts'
import { keepLog } from '../../support/database/statements.ts'
import { openTestDatabase } from '../../support/database.ts'
import { valueIn } from '../../support/processes/metrics.ts'

const { log, lines } = keepLog()
const database = await openTestDatabase()
const { prisma } = database.write
const config = readConfig({})
afterAll(() => database.close())
beforeEach(async () => {
  await prisma.job.deleteMany()
})

const kind = 'clean-up'
const due = (key: string) => prisma.job.update({ where: { kind_key: { kind, key } }, data: { dueAt: new Date(0) } })
const add = (key: string) => addJob(prisma, kind, {}, { key })
const found = (key: string) => prisma.job.findUnique({ where: { kind_key: { kind, key } } })

/** Works on jobs until the end of the test, with these handlers instead of the usual ones. */
function start(handlers: { readonly [Kind in JobKind]?: () => Promise<undefined> }, on: Database = database): void {
  const kinds = jobKindsOf(on, config, log)
  const own = {
    'clean-up': { ...kinds['clean-up'], ...(handlers['clean-up'] && { handle: handlers['clean-up'] }) },
    'delete-account': {
      ...kinds['delete-account'],
      ...(handlers['delete-account'] && { handle: handlers['delete-account'] }),
    },
  }
  onTestFinished(startJobs(on, { ...kinds, ...own }, log, { every: 50, begin: () => addCleanUp(on) }))
}

test('a job is added once, and taken by one process at a time', async () => {
  await Promise.all([add('a'), add('a'), add('b')])
  const taken = await Promise.all([1, 2, 3, 4].map(() => takeJob(database, [[kind]])))
  expect(taken.map((job) => job?.key).sort()).toEqual(['a', 'b', undefined, undefined])
})

test('a job is taken again when its lease ends, and its former process cannot remove it any more', async () => {
  await add('a')
  const first = await takeJob(database, [[kind]])
  await due('a')
  const second = await takeJob(database, [[kind]])
  expect([first, second]).toMatchObject([{ attempts: 1 }, { attempts: 2 }])
  if (first) await removeJob(database, first)
  expect(await found('a')).not.toBe(null)
  if (second) await removeJob(database, second)
  expect(await found('a')).toBe(null)
})

test('a job is not taken before its time, and not added by a transaction that fails', async () => {
  await addJob(prisma, kind, {}, { key: 'later', inSeconds: 3_600 })
  const failing = prisma.$transaction(async (transaction) => {
    await addJob(transaction, kind, {}, { key: 'lost' })
    throw new Error('it fails')
  })
  await expect(failing).rejects.toThrow('it fails')
  expect(await takeJob(database, [[kind]])).toBe(undefined)
  expect(await found('lost')).toBe(null)
})

test('a job that fails is retried after growing pauses, and metrics and log say so', async () => {
  await add('a')
  const seconds: number[] = []
  start({ [kind]: () => Promise.reject(new Error('no answer\nat all')) })
  for (const attempts of [1, 2, 3]) {
    await expect.poll(() => found('a')).toMatchObject({ attempts, lease: null, error: 'Error: no answer' })
    seconds.push(Math.round(((await found('a'))?.dueAt.getTime() ?? 0) / 1_000 - Date.now() / 1_000))
    if (attempts < 3) await due('a')
  }
  expect(seconds).toEqual([10, 20, 40])
  expect(lines).toContainEqual(expect.objectContaining({ msg: 'a job failed', job: kind, attempts: 3 }))
  const measured = await measure(database, { host: '127.0.0.1', port: 0 })
  const text = await (await fetch(measured.url ?? '')).text()
  await measured.close()
  expect(valueIn(`rookery_jobs{kind="${kind}",state="failing"}`, text)).toBe(
    await prisma.job.count({ where: { error: { not: null } } }),
  )
})

test('a job that hangs does not hold up other kinds', async () => {
  await add('a')
  await addJob(prisma, 'delete-account', { userId: randomUUID() })
  let end = () => {}
  const hanging = new Promise<undefined>((resolve) => {
    end = () => resolve(undefined)
  })
  const others = vi.fn(() => Promise.resolve(undefined))
  start({ [kind]: () => hanging, 'delete-account': others })
  await expect.poll(() => others.mock.calls.length).toBe(1)
  expect(await found('a')).toMatchObject({ lease: expect.any(String) })
  end()
  await expect.poll(() => found('a')).toBe(null)
})

test('the job that cleans up exists once, and repeats', async () => {
  start({})
  start({})
  const clean = async () =>
    (await prisma.job.findMany()).filter(({ dueAt, lease }) => dueAt > new Date() && lease === null).length
  await expect.poll(clean).toBe(1)
  expect(await prisma.job.count()).toBe(1)
})
