import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { blocks, bookmarks, likes } from '../../src/domain/edges.ts'
import type { TestApp } from '../support/app.ts'
import { type CommandDatabase, commandDatabase } from '../support/command-database.ts'
import { wrongCounters } from '../support/counters.ts'
import { createFolder } from '../support/database.ts'
import { setEdge } from '../support/edges.ts'
import { withoutHeader } from '../support/exports.ts'
import { publish } from '../support/publish.ts'
import { runCommand } from '../support/rookery-command.ts'

const { folder, remove } = createFolder()
const names = ['ada', 'bob', 'cyd']
const fileOf = (name: string) => join(folder, `${name}.jsonl`)
let from: CommandDatabase
let to: CommandDatabase
let app: TestApp
let copy: TestApp
beforeAll(async () => {
  from = await commandDatabase()
  to = await commandDatabase()
  app = await from.serve()
  copy = await to.serve()
})
afterAll(async () => {
  await copy.close()
  await app.close()
  await from.remove()
  await to.remove()
  await remove()
})

const exported = async (name: string, { env }: CommandDatabase) =>
  (await runCommand(['user', 'export', name], env)).stdout

test('accounts that name each other, and of which one blocks the other, are whole after their second import', async () => {
  const [ada, bob] = [await app.person('ada'), await app.person('bob')]
  await app.person('cyd')
  const hers = await publish(app, ada, { content: 'Hello @cyd, @ada and #tag' })
  const his = await publish(app, bob, { content: 'Hello @cyd' })
  const reply = await publish(app, bob, { content: 'Yes', parent: hers })
  for (const uuid of [his, reply]) for (const edge of [likes, bookmarks]) await setEdge(app, ada, edge, uuid)
  await setEdge(app, bob, blocks, ada.id)
  await app.database.write.prisma.accessToken.deleteMany()
  for (const name of names) await writeFile(fileOf(name), await exported(name, from))

  for (const name of [...names, ...names, ...names]) {
    const { code } = await runCommand(['user', 'import', fileOf(name)], to.env)
    expect([name, code]).toEqual([name, 0])
  }
  for (const name of names)
    expect(withoutHeader(await exported(name, to))).toBe(withoutHeader(await readFile(fileOf(name), 'utf8')))
  const mentions = ({ database }: TestApp) =>
    database.write.prisma.mention.findMany({ orderBy: [{ publicationId: 'asc' }, { rangeStart: 'asc' }] })
  expect(await mentions(copy)).toEqual(await mentions(app))
  expect(await wrongCounters(copy.database)).toEqual([])
  expect(await copy.database.write.prisma.notification.count()).toBe(0)
})
