import { createHash } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestApp } from '../support/app.ts'
import { letTimePass } from '../support/clock.ts'
import { type CommandDatabase, commandDatabase } from '../support/processes/command-database.ts'
import { runCommand } from '../support/processes/rookery-command.ts'
import { runRookery } from '../support/processes/rookery-process.ts'

let database: CommandDatabase
let env: Record<string, string>
let folder: string
let app: TestApp
beforeAll(async () => {
  database = await commandDatabase()
  env = database.env
  folder = await mkdtemp(join(tmpdir(), 'rookery-documents-'))
  app = await database.serve({ onlyTrustedDocuments: true })
}, 120_000)
afterAll(async () => {
  await app.close()
  await database.remove()
  await rm(folder, { recursive: true })
})

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const [one, two, three] = ['query One { viewer { username } }', '{ viewer { bio } }', 'query Three { __typename }\n']

async function file(name: string, content: string | Uint8Array): Promise<string> {
  const path = join(folder, name)
  await writeFile(path, content)
  return path
}
async function json(...args: string[]) {
  const { code, stdout, stderr } = await runCommand(['documents', ...args, '--json'], env)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return JSON.parse(stdout) as unknown
}
async function refusal(...args: string[]) {
  const { code, stdout, stderr } = await runCommand(['documents', ...args, '--json'], env)
  expect(stdout).toBe('')
  const { error } = JSON.parse(stderr) as { error: { code: string; message: string } }
  return { exit: code, ...error }
}

test('manifests and documents are stored, listed and removed', { timeout: 300_000 }, async () => {
  const apollo = await file(
    'apollo.json',
    JSON.stringify({
      format: 'apollo-persisted-query-manifest',
      version: 1,
      operations: [{ id: sha256(one), name: 'One', type: 'query', body: one }],
    }),
  )
  const relay = await file(
    'relay.json',
    `\ufeff${JSON.stringify({ [sha256(one)]: one, [`sha256:${sha256(two)}`]: two })}`,
  )
  const plain = await file('three.graphql', three)
  expect(await json('add', apollo)).toEqual({ added: 1, known: 0, hashes: [sha256(one)] })
  expect(await json('add', relay, plain)).toEqual({ added: 2, known: 1, hashes: [one, two, three].map(sha256) })
  const listed = { uuid: expect.any(String), createdAt: expect.any(String) }
  expect(await json('list')).toEqual({
    documents: expect.arrayContaining([
      { ...listed, hash: sha256(one), operations: ['One'], tool: null },
      { ...listed, hash: sha256(two), operations: [], tool: null },
      { ...listed, hash: sha256(three), operations: ['Three'], tool: null },
    ]),
    next: null,
  })
  const text = await runRookery(['documents', 'list', '--limit', '1'], env)
  expect(text.stdout).toMatch(
    /^SHA-256 +CREATED +TOOL +OPERATIONS\n[0-9a-f]{64} .*\n\nMore: rookery documents list --limit 1 /,
  )

  const statusOf = async (body: object) => {
    const headers = { 'content-type': 'application/json' }
    return (await fetch(`${app.origin}/graphql`, { method: 'POST', headers, body: JSON.stringify(body) })).status
  }
  expect(await statusOf({ documentId: sha256(three) })).toBe(200)
  expect(await statusOf({ query: '{ __typename }' })).toBe(403)
  const later = await file('later.graphql', '{ __typename }')
  expect(await json('add', later)).toMatchObject({ added: 1 })
  expect(await statusOf({ query: '{ __typename }' })).toBe(200)
  expect(await refusal('remove', sha256(three), sha256('unknown'))).toMatchObject({ exit: 1, code: 'NOT_FOUND' })
  expect(await json('remove', sha256(three).toUpperCase())).toEqual({ removed: 1 })
  letTimePass()
  await expect.poll(() => statusOf({ documentId: sha256(three) })).toBe(403)
  expect(await json('remove', '--all')).toEqual({ removed: 3 })
  expect(await json('list')).toEqual({ documents: [], next: null })
})

test('invalid files are refused, and nothing is stored', { timeout: 300_000 }, async () => {
  const md5 = createHash('md5').update(one).digest('hex')
  const wrong: readonly (readonly [string, string | Uint8Array, RegExp])[] = [
    ['md5.json', JSON.stringify({ [sha256(two)]: two, [md5]: one }), /not its SHA-256/],
    ['broken.json', '{', /must be JSON/],
    ['list.json', '[]', /manifest/],
    ['syntax.graphql', '{ viewer', /Syntax Error/],
    ['field.graphql', '{ viewer { shoeSize } }', /shoeSize/],
    ['long.graphql', `{ __typename } # ${'x'.repeat(17_000)}`, /16384 characters/],
    ['endless', new Uint8Array(2 ** 26 + 1), /at most 67108864 bytes/],
    ['nul.graphql', '{ __typename } # \0', /NUL/],
    ['surrogate.json', `{"${sha256('{ __typename } # \ud800')}": "{ __typename } # \\ud800"}`, /surrogate/],
    ['bytes.graphql', new Uint8Array([0xff]), /UTF-8/],
  ]
  const valid = await file('valid.graphql', one)
  for (const [name, content, message] of wrong) {
    const refused = await refusal('add', valid, await file(name, content))
    expect(refused).toMatchObject({ exit: 2, code: 'VALIDATION_FAILED', message: expect.stringMatching(message) })
  }
  const missing = await refusal('add', join(folder, 'missing.json'))
  expect(missing).toMatchObject({ exit: 2, message: expect.stringMatching(/ENOENT/) })
  expect(await refusal('remove')).toMatchObject({ exit: 2, code: 'USAGE' })
  expect(await json('list')).toEqual({ documents: [], next: null })
})
