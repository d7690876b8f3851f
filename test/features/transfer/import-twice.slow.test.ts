import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { blocks, bookmarks, likes } from '../../../src/features/base/relations.ts'
import type { TestApp } from '../../support/app.ts'
import { wrongCounters } from '../../support/database/counters.ts'
import { createFolder } from '../../support/folder.ts'
import { countNotices } from '../../support/graphql/notifications.ts'
import { publish } from '../../support/graphql/publish.ts'
import { setRelation } from '../../support/graphql/relations.ts'
import { type CommandDatabase, commandDatabase } from '../../support/processes/command-database.ts'
import { runCommand } from '../../support/processes/rookery-command.ts'
import { withoutHeader } from '../../support/rest/exports.ts'

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
  for (const uuid of [his, reply])
    for (const relation of [likes, bookmarks]) await setRelation(app, ada, relation, uuid)
  await setRelation(app, bob, blocks, ada.id)
  await app.database.write.prisma.accessToken.deleteMany()
  for (const name of names) await writeFile(fileOf(name), await exported(name, from))

  for (const time of [1, 2, 3])
    for (const name of names) {
      const into = time > 1 ? ['--username', name] : []
      const { code } = await runCommand(['user', 'import', fileOf(name), ...into], to.env)
      expect([name, code]).toEqual([name, 0])
    }
  for (const name of names)
    expect(withoutHeader(await exported(name, to))).toBe(withoutHeader(await readFile(fileOf(name), 'utf8')))
  const mentions = ({ database }: TestApp) =>
    database.write.prisma.mention.findMany({
      omit: { noticeKey: true },
      orderBy: [{ publicationId: 'asc' }, { rangeStart: 'asc' }],
    })
  expect(await mentions(copy)).toEqual(await mentions(app))
  expect(await wrongCounters(copy.database)).toEqual([])
  expect(await countNotices(copy.database)).toBe(0)
})
