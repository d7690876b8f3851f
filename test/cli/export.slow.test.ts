import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { v7 as newId } from 'uuid'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDatabase } from '../../src/engine/data/database.ts'
import { createLog } from '../../src/engine/log.ts'
import { blocks } from '../../src/features/base/relations.ts'
import { readExport } from '../../src/features/transfer/export-file.ts'
import { importLines } from '../../src/features/transfer/import.ts'
import { type Person, startApp, type TestApp } from '../support/app.ts'
import { wrongCounters } from '../support/database/counters.ts'
import { createFolder } from '../support/folder.ts'
import { countNotices } from '../support/graphql/notifications.ts'
import { setRelation } from '../support/graphql/relations.ts'
import { at, fillAccounts } from '../support/networks/exported-accounts.ts'
import { type CommandDatabase, commandDatabase } from '../support/processes/command-database.ts'
import { runCommand } from '../support/processes/rookery-command.ts'
import { exportLinesOf, withoutHeader } from '../support/rest/exports.ts'

const { folder, remove } = createFolder()
let database: CommandDatabase
let app: TestApp
let copy: TestApp
const env = { DATA_DIR: join(folder, 'copy'), DEMO: 'off' }
const names = ['robin', 'wren', 'finch']
const prismaOfCopy = () => copy.database.write.prisma
const fileOf = (name: string) => join(folder, `${name}.jsonl`)

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
  if (robin) await fillAccounts(app, robin, others)
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
  expect(robin.imported).toEqual({
    application: 1,
    publication: 8,
    like: 2,
    repost: 2,
    bookmark: 2,
    follow: 1,
    block: 1,
    mute: 1,
  })
  const again = await imported(fileOf('wren'), env, '--username', 'wren')
  expect(again).toMatchObject({ password: null, imported: { follow: 1 } })

  for (const name of names) {
    const [before, after] = [await readFile(fileOf(name), 'utf8'), await exported(name, env)]
    expect(withoutHeader(after)).toBe(withoutHeader(before))
    expect(exportLinesOf(after)[0]).toMatchObject({ account: { uuid: Object(exportLinesOf(before)[0]).account.uuid } })
  }
  expect(await wrongCounters(copy.database)).toEqual([])
  const { prisma } = copy.database.write
  expect(await prisma.mention.count()).toBe(3)
  expect((await prisma.hashtag.findMany({ orderBy: { name: 'asc' } })).map(({ name }) => name)).toEqual(['loom', 'tag'])
  expect(await countNotices(copy.database)).toBe(0)
  expect(await prisma.change.count({ where: { kind: 'PUBLISHED' } })).toBe(10)
})

test('an import that is repeated changes nothing', async () => {
  const before = await exported('robin', env)
  const again = await imported(fileOf('robin'), env, '--username', 'ROBIN')
  expect(again).toMatchObject({ password: null, imported: {}, left: {}, problems: [], known: { publication: 8 } })
  expect(await exported('robin', env)).toBe(before)
  await copy.database.write.prisma.user.updateMany({ where: { username: 'robin' }, data: { bio: 'Newer' } })
  await imported(fileOf('robin'), env, '--username', 'robin')
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
  expect(report).toMatchObject({ username: 'robin2', password: null, left: { application: 1, publication: 8 } })
  expect(report.imported).toEqual({ like: 2, repost: 2, bookmark: 2, follow: 1, block: 1, mute: 1 })
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
  const report = await imported(fileOf('renamed'), env, '--username', 'robin')
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
  expect(report).toMatchObject({ left: { application: 1, publication: 8 }, imported: { like: 2, bookmark: 2 } })
  expect(await prisma.publication.findMany({ where: { content: 'Of Wren' } })).toMatchObject([
    { authorId: post?.authorId },
  ])
  expect(await wrongCounters(copy.database)).toEqual([])
})

test('a file cannot choose an account that exists, and a former username finds none', async () => {
  const refused = await runCommand(['user', 'import', fileOf('robin')], env)
  expect(refused).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('name it with --username') })
  await run(['user', 'rename', 'finch', 'goldfinch'], env)
  for (const args of [[], ['--username', 'finch']]) {
    const { code, stderr } = await runCommand(['user', 'import', fileOf('finch'), ...args], env)
    expect({ code, stderr }).toEqual({ code: 1, stderr: 'finch is a former username: the account is goldfinch now.\n' })
  }
})

test('the uuid of an erased account is not used again', async () => {
  await prismaOfCopy().user.updateMany({ where: { username: 'robin2' }, data: { suspendedAt: new Date(0) } })
  const { uuid } = JSON.parse(await run(['user', 'show', 'robin2', '--json'], env))
  const lines = (await exported('robin2', env)).split('\n')
  await writeFile(fileOf('erased'), lines.join('\n'))
  await run(['user', 'delete', 'robin2', '--yes'], env)
  const again = await imported(fileOf('erased'), env)
  expect(again).toMatchObject({ username: 'robin2', password: expect.any(String) })
  expect(again.uuid).not.toBe(uuid)
})

test('replies that the API would refuse are left out', async () => {
  const { prisma } = copy.database.write
  const [parent] = await prisma.publication.findMany({ where: { content: 'Of Wren' } })
  const [header = '', profile = ''] = (await readFile(fileOf('robin'), 'utf8')).split('\n')
  const { cursor } = JSON.parse(header)
  const created_at = new Date().toISOString()
  const reply = (at: string | undefined) =>
    JSON.stringify({
      type: 'publication',
      cursor,
      uuid: newId(),
      parent: at,
      content: 'So?',
      from: null,
      locked: false,
      created_at,
      edited_at: null,
    })
  const locked = parent && (await prisma.publication.update({ where: { id: parent.id }, data: { locked: true } }))
  const blocking = await prisma.publication.findFirstOrThrow({ where: { content: 'A reply' } })
  const rude = await copy.person('rude')
  await setRelation(copy, rude, blocks, blocking.authorId ?? '')
  const end = JSON.stringify({ type: 'end', cursor, lines: 5 })
  await writeFile(fileOf('rude'), [header, profile, reply(locked?.id), reply(blocking.id), end].join('\n'))
  const { left, problems } = await imported(fileOf('rude'), env, '--username', 'rude')
  expect({ left, problems }).toEqual({
    left: { publication: 2 },
    problems: [
      { line: 3, problem: `The author of ${locked?.id} has locked it.` },
      { line: 4, problem: `${blocking.id} takes no replies of this account.` },
    ],
  })
  expect(await wrongCounters(copy.database)).toEqual([])
})

test('no line of an export has what other programs take for the end of a line', async () => {
  const lines = await readFile(fileOf('robin'), 'utf8')
  expect(lines).toMatch(/ \\u2028\\u2029\\u0085"/)
  expect(lines).not.toMatch(/[\u0085\u2028\u2029]/)
})
