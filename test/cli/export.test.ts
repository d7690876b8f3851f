import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { v7 as newId } from 'uuid'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readExport } from '../../src/cli/export-file.ts'
import { openDatabase } from '../../src/data/database.ts'
import { blocks, bookmarks, follows, likes, mutes } from '../../src/domain/edges.ts'
import { importLines } from '../../src/domain/import.ts'
import { createLog } from '../../src/log.ts'
import { makeApplication } from '../support/access-tokens.ts'
import { type Person, startApp, type TestApp } from '../support/app.ts'
import { type CommandDatabase, commandDatabase } from '../support/command-database.ts'
import { wrongCounters } from '../support/counters.ts'
import { createFolder } from '../support/database.ts'
import { setEdge } from '../support/edges.ts'
import { exportLinesOf, withoutHeader } from '../support/exports.ts'
import { mutate } from '../support/mutate.ts'
import { publish } from '../support/publish.ts'
import { runCommand } from '../support/rookery-command.ts'

const { folder, remove } = createFolder()
let database: CommandDatabase
let app: TestApp
let copy: TestApp
const env = { DATA_DIR: join(folder, 'copy'), DEMO: 'off' }
const names = ['robin', 'wren', 'finch']
const fileOf = (name: string) => join(folder, `${name}.jsonl`)

/** A UUID with a time this many seconds from now. */
const at = (seconds: number) => newId({ msecs: Date.now() + seconds * 1_000 })

async function fill({ token }: Person, [wren, finch]: readonly Person[]): Promise<void> {
  if (!wren || !finch) return
  const robin = { token, id: '', username: 'robin' }
  const loom = await makeApplication(app, token, { name: 'Loom', website: 'https://loom.example/' })
  const owner = await app.database.write.prisma.user.findFirstOrThrow({ where: { username: 'robin' } })
  const ofLoom = await app.token({ ...robin, id: owner.id }, ['post.get', 'post.send'], { applicationId: loom })
  await mutate(app, robin, 'updateProfile', { displayName: 'Robin 👩‍💻', bio: 'Line one\nline two' }, 'viewer { uuid }')
  await publish(app, { token: ofLoom }, { content: 'From #Loom, for @wren and @nobody: "quoted" \\ 😀' })
  const parent = await publish(app, robin, { content: '😀'.repeat(500), uuid: at(30) })
  // Older than its parent, as is the reply to it.
  const reply = await publish(app, robin, { parent, uuid: at(-3_600), content: 'A reply' })
  await publish(app, robin, { parent: reply, uuid: at(-7_200), content: 'A reply to a reply' })
  const post = await publish(app, wren, { content: 'Of Wren' })
  await publish(app, robin, { parent: post, locked: true })
  await mutate(app, robin, 'updatePost', { uuid: parent, content: 'Edited #tag', locked: true }, 'publication { uuid }')
  const gone = await publish(app, robin)
  await setEdge(app, robin, likes, gone)
  await mutate(app, robin, 'deletePost', { uuid: gone }, 'publication { uuid }')
  for (const edge of [likes, bookmarks]) for (const it of [post, reply]) await setEdge(app, robin, edge, it)
  for (const [edge, other] of [
    [follows, wren],
    [mutes, wren],
    [blocks, finch],
  ] as const)
    await setEdge(app, robin, edge, other.id)
  await setEdge(app, wren, follows, owner.id)
}

/** Runs a command that must succeed, and returns what it prints. */
async function run(args: readonly string[], on: Record<string, string>): Promise<string> {
  const { code, stdout, stderr } = await runCommand(args, on)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return stdout
}
const exported = (name: string, on: Record<string, string>) => run(['user', 'export', name], on)
const imported = async (file: string, on: Record<string, string>, ...more: string[]) =>
  JSON.parse(await run(['user', 'import', file, '--json', ...more], on))

beforeAll(async () => {
  database = await commandDatabase()
  app = await database.serve()
  const people: Person[] = []
  for (const name of names) people.push(await app.person(name))
  const [robin, ...others] = people
  if (robin) await fill(robin, others)
  await app.database.write.prisma.accessToken.deleteMany()
  for (const name of names) await writeFile(fileOf(name), await exported(name, database.env))
  copy = await startApp({}, () =>
    openDatabase({ kind: 'embedded', folder: env.DATA_DIR, opener: 'server' }, createLog('silent')),
  )
})
afterAll(async () => {
  await copy.close()
  await app.close()
  await database.remove()
  await remove()
})

test('accounts move to another server with everything that belongs to them, byte for byte', async () => {
  const first = await imported(fileOf('wren'), env)
  expect(first).toMatchObject({ username: 'wren', password: expect.stringMatching(/^[\w-]{24}$/), left: { follow: 1 } })
  expect(first.problems).toEqual([{ line: 4, problem: expect.stringMatching(/^There is no user .* @robin\.$/) }])
  await imported(fileOf('finch'), env)
  const robin = await imported(fileOf('robin'), env)
  expect(robin).toMatchObject({ known: {}, left: {}, problems: [] })
  expect(robin.imported).toEqual({ application: 1, publication: 5, like: 2, bookmark: 2, follow: 1, block: 1, mute: 1 })
  expect(await imported(fileOf('wren'), env)).toMatchObject({ password: null, imported: { follow: 1 } })

  for (const name of names) {
    const [before, after] = [await readFile(fileOf(name), 'utf8'), await exported(name, env)]
    expect(withoutHeader(after)).toBe(withoutHeader(before))
    expect(exportLinesOf(after)[0]).toMatchObject({ account: { uuid: Object(exportLinesOf(before)[0]).account.uuid } })
  }
  expect(await wrongCounters(copy.database)).toEqual([])
  const { prisma } = copy.database.write
  expect(await prisma.mention.count()).toBe(1)
  expect((await prisma.hashtag.findMany({ orderBy: { name: 'asc' } })).map(({ name }) => name)).toEqual(['loom', 'tag'])
  expect(await prisma.notification.count()).toBe(0)
  expect(await prisma.change.count({ where: { kind: 'PUBLISHED' } })).toBe(6)
})

test('an import that is repeated changes nothing', async () => {
  const before = await exported('robin', env)
  const again = await imported(fileOf('robin'), env)
  expect(again).toMatchObject({ password: null, imported: {}, left: {}, problems: [], known: { publication: 5 } })
  expect(await exported('robin', env)).toBe(before)
  await copy.database.write.prisma.user.updateMany({ where: { username: 'robin' }, data: { bio: 'Newer' } })
  await imported(fileOf('robin'), env)
  expect(await exported('robin', env)).toContain('"bio":"Newer"')
  expect(await wrongCounters(copy.database)).toEqual([])
})

test('of two imports at the same time, one imports each line and the other finds it', async () => {
  const twin = await app.person('twin')
  const [header = '', profile = ''] = (await readFile(fileOf('finch'), 'utf8')).split('\n')
  const created_at = new Date().toISOString()
  const post = { type: 'publication', parent: null, content: 'Twice', from: null, locked: false, edited_at: null }
  const posts = Array.from({ length: 997 }, () =>
    JSON.stringify({ ...post, uuid: at(-60), created_at, cursor: JSON.parse(header).cursor }),
  )
  const end = JSON.stringify({ type: 'end', cursor: JSON.parse(header).cursor, lines: 1_000 })
  await writeFile(fileOf('twin'), [header, profile, ...posts, end].join('\n'))
  const file = await readExport(fileOf('twin'))
  const reports = await Promise.all([1, 2].map(() => importLines(app.database, twin.id, file)))
  const counts = reports.map(({ imported, known }) => [imported.publication ?? 0, known.publication ?? 0])
  expect(counts.map(([imported = 0, known = 0]) => imported + known)).toEqual([997, 997])
  expect(counts.reduce((sum, [imported = 0]) => sum + imported, 0)).toBe(997)
})

test('an import into another account keeps what others have, and reports it', async () => {
  const password = 'correct horse battery'
  const args = ['user', 'import', fileOf('robin'), '--json', '--username', 'robin2', '--password-stdin']
  const { stdout } = await runCommand(args, env, password)
  const report = JSON.parse(stdout)
  expect(report).toMatchObject({ username: 'robin2', password: null, left: { application: 1, publication: 5 } })
  expect(report.imported).toEqual({ like: 2, bookmark: 2, follow: 1, block: 1, mute: 1 })
  expect(report.uuid).not.toBe(Object(exportLinesOf(await readFile(fileOf('robin'), 'utf8'))[0]).account.uuid)
  expect(await wrongCounters(copy.database)).toEqual([])
})

test('users whose uuids differ are found by username', async () => {
  const { prisma } = copy.database.write
  const text = (await readFile(fileOf('robin'), 'utf8')).replaceAll(
    /"uuid":"[^"]*","username":"wren"/g,
    `"uuid":"${newId()}","username":"WREN"`,
  )
  await prisma.follow.deleteMany()
  await prisma.user.updateMany({ data: { followerCount: 0, followingCount: 0 } })
  await writeFile(fileOf('renamed'), text)
  const report = await imported(fileOf('renamed'), env)
  expect(report).toMatchObject({ imported: { follow: 1 }, known: { mute: 1 } })
  expect(report.problems).toMatchObject([{ problem: '@WREN has another uuid here: found by username.' }])
})

test('an export resumes where it ended', async () => {
  const whole = await readFile(fileOf('robin'), 'utf8')
  const { cursor = '' } = exportLinesOf(whole)[4] ?? {}
  const rest = await run(['user', 'export', 'robin', '--after', cursor], database.env)
  expect(
    whole
      .split(/(?<=\n)/)
      .slice(5)
      .join(''),
  ).toBe(rest)
  expect(await runCommand(['user', 'export', 'robin', '--after', 'x'], database.env)).toMatchObject({
    code: 2,
    stdout: '',
  })
  expect(await runCommand(['user', 'export', 'nobody'], database.env)).toMatchObject({ code: 1, stdout: '' })
})

type Edit = (lines: readonly string[]) => readonly (string | Buffer)[]
const change =
  (from: string | RegExp, to: string): Edit =>
  (lines) =>
    lines.map((line) => line.replace(from, to))

test.each<[string, Edit, RegExp]>([
  ['nothing', () => [], /is incomplete/],
  ['no end', (lines) => lines.slice(0, -1), /is incomplete/],
  ['half a line at its end', (lines) => [...lines.slice(0, -1), '{"type":"end"'], /line 16 .*cut off/],
  ['a line too few', (lines) => lines.toSpliced(5, 1), /has 15 lines, and 16/],
  ['a line after the end', (lines) => [...lines, lines.at(-1) ?? ''], /line 17 .*follows the end/],
  ['no header', (lines) => lines.slice(1), /line 1 .*header/],
  ['two headers', (lines) => [...lines.slice(0, 1), ...lines], /line 2 .*header/],
  ['another version', change('"version":1', '"version":2'), /line 1 .*version/],
  ['an unknown type', change('"type":"like"', '"type":"love"'), /line 9 .*type/],
  ['no JSON', change(/^.*"type":"like".*$/s, '{like}\n'), /line 9 .*JSON/],
  [
    'bytes that are not UTF-8',
    (lines) => [...lines.slice(0, 4), Buffer.from([0x22, 0xff, 0x22, 0x0a])],
    /line 5 .*UTF-8/,
  ],
  ['a line that never ends', (lines) => [...lines.slice(0, 4), 'a'.repeat(10_000_000)], /line 5 .*bytes/],
  ['a NUL', change('A reply', 'A \\u0000reply'), /content must not contain a NUL/],
  ['a lone surrogate', change('A reply', 'A \\ud800reply'), /content must not contain a NUL or a lone surrogate/],
  ['too long a text', change('A reply', 'A'.repeat(501)), /content must have 1 to 500 characters/],
  ['a time in the future', change(/"created_at":"20/, '"created_at":"29'), /created_at must not be in the future/],
  [
    'a uuid in the future',
    change(/"uuid":"01(?=[^}]*"content")/, '"uuid":"f1'),
    /uuid must not have a time in the future/,
  ],
  ['an unsafe website', change('https://loom', 'javascript://loom'), /website/],
])('a file with %s is refused, and changes nothing', async (what, edit, message) => {
  const lines = (await readFile(fileOf('robin'), 'utf8')).split(/(?<=\n)/)
  const file = fileOf('bad')
  await writeFile(file, Buffer.concat(edit(lines).map((line) => Buffer.from(line))))
  const { code, stderr } = await runCommand(['user', 'import', file, '--username', 'bad'], env)
  expect({ what, code, stderr }).toEqual({ what, code: 2, stderr: expect.stringMatching(message) })
  expect(await copy.database.write.prisma.user.count({ where: { username: 'bad' } })).toBe(0)
})

test('a file that claims what belongs to others gets none of it', async () => {
  const { prisma } = copy.database.write
  const [post] = await prisma.publication.findMany({ where: { content: 'Of Wren' } })
  const [account] = await prisma.user.findMany({ where: { username: 'finch' } })
  const text = (await readFile(fileOf('robin'), 'utf8'))
    .replace(/"uuid":"[^"]*"(?=[^}]*"content":"From)/, `"uuid":"${post?.id}"`)
    .replace(/"uuid":"[^"]*"(?=[^}]*"content":"Edited)/, `"uuid":"${account?.id}"`)
    .replace(/"id":"[^"]*","publication"/g, `"id":"${newId()}","publication"`)
  await writeFile(fileOf('thief'), text)
  const report = await imported(fileOf('thief'), env, '--username', 'thief')
  expect(report).toMatchObject({ left: { application: 1, publication: 5 }, imported: { like: 2, bookmark: 2 } })
  expect(await prisma.publication.findMany({ where: { content: 'Of Wren' } })).toMatchObject([
    { authorId: post?.authorId },
  ])
  expect(await wrongCounters(copy.database)).toEqual([])
})

test('a folder or a missing file is refused', async () => {
  for (const file of [folder, fileOf('nothing')])
    expect(await runCommand(['user', 'import', file], env)).toMatchObject({ code: 2, stdout: '' })
})
