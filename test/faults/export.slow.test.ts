import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { v7 as newId } from 'uuid'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type Database, openDatabase } from '../../src/engine/data/database.ts'
import { createLog } from '../../src/engine/log.ts'
import { wrongCounters } from '../support/database/counters.ts'
import { createFolder } from '../support/folder.ts'
import { startProgram } from '../support/processes/program.ts'
import { endProcesses, rookeryProgram, runRookery, startRookery } from '../support/processes/rookery-process.ts'
import { askForExport, exportLinesOf, received, wholeLines, withoutHeader } from '../support/rest/exports.ts'

const posts = 2_500
const kills = 3

const { folder, remove } = createFolder()
const file = join(folder, 'robin.jsonl')
const from = { DATA_DIR: join(folder, 'from'), DEMO: 'off', LOG_LEVEL: 'silent' }
const to = { ...from, DATA_DIR: join(folder, 'to') }
let whole: string

/** The size of all tables and indexes of an environment, which grow while an import writes, in bytes. */
const sizeOfTables = ({ DATA_DIR }: typeof from) =>
  readdirSync(DATA_DIR, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\bbase\b/.test(name))
    .reduce((sum, name) => sum + (statSync(join(DATA_DIR, name), { throwIfNoEntry: false })?.size ?? 0), 0)

/** Works on the database of an environment while no process uses it. */
async function use<T>({ DATA_DIR }: typeof from, work: (database: Database) => Promise<T>): Promise<T> {
  const database = await openDatabase({ kind: 'embedded', folder: DATA_DIR, opener: 'command' }, createLog('silent'))
  return work(database).finally(() => database.close())
}

/** Fills an account: posts with hashtags, replies to them, likes and follows. */
async function fill({ write: { prisma } }: Database): Promise<void> {
  const [author, ...others] = ['robin', 'a', 'b', 'c'].map((username) => ({ id: newId(), username }))
  if (!author) return
  for (const { id, username } of [author, ...others])
    await prisma.user.create({ data: { id, username, displayName: username, email: `${username}@example.org` } })
  const ids = Array.from({ length: posts }, () => newId())
  for (let first = 0; first < posts; first += 1_000) {
    const data = ids.slice(first, first + 1_000).map((id, place) => {
      const parentId = place % 3 === 2 ? (ids[first + place - 1] ?? null) : null
      return { id, parentId, authorId: author.id, content: `#tag${place % 7} ${'text '.repeat(80)}` }
    })
    await prisma.publication.createMany({ data })
  }
  const liked = ids.filter((_, place) => place % 4 === 0)
  await prisma.like.createMany({ data: liked.map((id) => ({ id: newId(), publicationId: id, userId: author.id })) })
  await prisma.follow.createMany({
    data: others.map(({ id }) => ({ id: newId(), followerId: author.id, followeeId: id })),
  })
}

beforeAll(async () => {
  await use(from, fill)
  whole = (await runRookery(['user', 'export', 'robin'], from)).stdout
  writeFileSync(file, whole)
  for (const name of ['a', 'b', 'c']) {
    const { stdout } = await runRookery(['user', 'export', name], from)
    writeFileSync(join(folder, `${name}.jsonl`), stdout)
  }
})
afterEach(endProcesses)
afterAll(remove)

test('an import that is killed again and again loses nothing, and repeats nothing', async () => {
  rmSync(to.DATA_DIR, { recursive: true, force: true })
  mkdirSync(to.DATA_DIR)
  await runRookery(['migrate'], to)
  for (const name of ['a', 'b', 'c']) await runRookery(['user', 'import', join(folder, `${name}.jsonl`)], to)
  const states: number[] = []
  while (states.length < kills) {
    const args = ['user', 'import', file, ...(states.length > 0 ? ['--username', 'robin'] : [])]
    const before = sizeOfTables(to)
    const { child, ended } = startProgram({ file: rookeryProgram, builtBy: 'npm run build' }, args, to)
    await expect.poll(() => sizeOfTables(to) > before + 2 ** 20, { interval: 20 }).toBe(true)
    child.kill('SIGKILL')
    await ended
    states.push(await use(to, ({ write }) => write.prisma.publication.count()))
  }
  expect(
    states.every((count, nth) => count > 0 && count < posts && count > (states[nth - 1] ?? 0)),
    String(states),
  ).toBe(true)
  const { code, stdout } = await runRookery(['user', 'import', file, '--username', 'robin', '--json'], to)
  expect({ code, ...JSON.parse(stdout) }).toMatchObject({ code: 0, left: {}, problems: [] })
  expect(withoutHeader((await runRookery(['user', 'export', 'robin'], to)).stdout)).toBe(withoutHeader(whole))
  expect(await use(to, wrongCounters)).toEqual([])
})

test('an export resumes until it is complete, although its server is killed again and again', async () => {
  const { stdout } = await runRookery(['token', 'create', 'robin', '--scopes', 'account.export'], from)
  let text = ''
  let isWhole = false
  let cuts = 0
  while (!isWhole) {
    const server = await startRookery(from)
    const after = exportLinesOf(wholeLines(text) || '{"type":"","cursor":""}').at(-1)?.cursor
    const response = await askForExport(server, { token: stdout.trim() }, after ? { after } : {})
    const part = await received(response, async () => {
      if (cuts < kills) server.signal('SIGKILL')
    })
    isWhole = part.isWhole
    if (!isWhole) cuts += 1
    text = wholeLines(text) + part.text
    server.signal('SIGKILL')
    await server.ended
  }
  expect(cuts).toBeGreaterThan(1)
  const lines = exportLinesOf(text)
  expect(lines.at(-1)).toMatchObject({ type: 'end', lines: lines.length })
  const imported = (all: string) => all.split('\n').filter((line) => !/^{"type":"(?:token|end)"/.test(line))
  expect(imported(text)).toEqual(imported(whole))
})
