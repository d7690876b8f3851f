import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Person, TestApp } from '../../support/app.ts'
import { createFolder } from '../../support/folder.ts'
import { fillAccounts } from '../../support/networks/exported-accounts.ts'
import { type CommandDatabase, commandDatabase } from '../../support/processes/command-database.ts'
import { runCommand } from '../../support/processes/rookery-command.ts'

const { folder, remove } = createFolder()
const fileOf = (name: string) => join(folder, `${name}.jsonl`)
let database: CommandDatabase
let app: TestApp
beforeAll(async () => {
  database = await commandDatabase()
  app = await database.serve()
  const people: Person[] = []
  for (const name of ['robin', 'wren', 'finch']) people.push(await app.person(name))
  const [robin, ...others] = people
  if (robin) await fillAccounts(app, robin, others)
  await app.database.write.prisma.accessToken.deleteMany()
  await writeFile(fileOf('robin'), (await runCommand(['user', 'export', 'robin'], database.env)).stdout)
})
afterAll(async () => {
  await app.close()
  await database.remove()
  await remove()
})

type Edit = (lines: readonly string[]) => readonly (string | Buffer)[]
const change =
  (from: string | RegExp, to: string): Edit =>
  (lines) =>
    lines.map((line) => line.replace(from, to))

test.each<[string, Edit, RegExp]>([
  ['nothing', () => [], /is incomplete/],
  ['no end', (lines) => lines.slice(0, -1), /is incomplete/],
  ['half a line at its end', (lines) => [...lines.slice(0, -1), '{"type":"end"'], /line \d+ .*cut off/],
  ['a line too few', (lines) => lines.toSpliced(5, 1), /has \d+ lines, and \d+ according/],
  ['a line after the end', (lines) => [...lines, lines.at(-1) ?? ''], /line \d+ .*follows the end/],
  ['other compression', (lines) => [gzipSync(lines.join(''))], /bad.jsonl is compressed with gzip/],
  ['another encoding', (lines) => [Buffer.from(`\ufeff${lines.join('')}`, 'utf16le')], /bad.jsonl is UTF-16/],
  ['no header', (lines) => lines.slice(1), /line 1 .*header/],
  ['two headers', (lines) => [...lines.slice(0, 1), ...lines], /line 2 .*header/],
  ['another version', change('"version":1', '"version":2'), /line 1 .*version/],
  ['an unknown type', change('"type":"like"', '"type":"love"'), /line 12 .*type/],
  ['no JSON', change(/^.*"type":"like".*$/s, '{like}\n'), /line 12 .*JSON/],
  [
    'bytes that are not UTF-8',
    (lines) => [...lines.slice(0, 4), Buffer.from([0x22, 0xff, 0x22, 0x0a])],
    /line 5 .*UTF-8/,
  ],
  ['a line that never ends', (lines) => [...lines.slice(0, 4), 'a'.repeat(10_000_000)], /line 5 .*bytes/],
  ['a NUL', change('A reply', 'A \\u0000reply'), /content must not contain control characters/],
  ['an escape character', change('A reply', 'A \\u001b[31mreply'), /content must not contain control characters/],
  ['a blank post', change(/"content":"A reply"/, '"content":"\\u2800 \\n"'), /content must not be blank/],
  ['a name of several lines', change('Robin 👩‍💻', 'Robin\\nOperator'), /display_name must not contain line breaks/],
  [
    'an application of several lines',
    change(/"name":"Loom"/, '"name":"Loom\\u2028"'),
    /name must not contain line breaks/,
  ],
  [
    'an escape character in a biography',
    change('Line one', 'Line \\u001b one'),
    /bio must not contain control characters/,
  ],
  ['a lone surrogate', change('A reply', 'A \\ud800reply'), /content must not contain a lone surrogate/],
  ['too long a text', change('A reply', 'A'.repeat(501)), /content must have 1 to 500 characters/],
  ['a time in the future', change(/"created_at":"20/, '"created_at":"29'), /created_at must not be in the future/],
  [
    'a uuid in the future',
    change(/"uuid":"01(?=[^}]*"content")/, '"uuid":"f1'),
    /uuid must not have a time in the future/,
  ],
  ['an unsafe website', change('https://loom', 'javascript://loom'), /website/],
  ['a website with an escape character', change('loom.example/', 'loom.example/\\u001b[31m'), /website/],
])('a file with %s is refused, and changes nothing', async (what, edit, message) => {
  const lines = (await readFile(fileOf('robin'), 'utf8')).split(/(?<=\n)/)
  const file = fileOf('bad')
  await writeFile(file, Buffer.concat(edit(lines).map((line) => Buffer.from(line))))
  const { code, stderr } = await runCommand(['user', 'import', file, '--username', 'bad'], database.env)
  expect({ what, code, stderr }).toEqual({ what, code: 2, stderr: expect.stringMatching(message) })
  expect(await app.database.write.prisma.user.count({ where: { username: 'bad' } })).toBe(0)
})

test('byte order marks and empty lines at the end of a file do not matter', async () => {
  const text = await readFile(fileOf('robin'), 'utf8')
  await writeFile(fileOf('edited'), `\ufeff${text.replaceAll('\n', '\r\n')}\r\n\n`)
  const args = ['user', 'import', fileOf('edited'), '--username', 'robin', '--json']
  const { stdout } = await runCommand(args, database.env)
  expect(JSON.parse(stdout)).toMatchObject({ imported: {}, left: {}, known: { publication: 8 } })
})

test('a folder or a missing file is refused', async () => {
  for (const file of [folder, fileOf('nothing')])
    expect(await runCommand(['user', 'import', file], database.env)).toMatchObject({ code: 2, stdout: '' })
})
