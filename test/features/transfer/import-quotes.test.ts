import { v7 as newId } from 'uuid'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { importLines } from '../../../src/features/transfer/import.ts'
import type { Line } from '../../../src/features/transfer/lines.ts'
import { type Person, startApp, type TestApp } from '../../support/app.ts'
import { wrongCounters } from '../../support/database/counters.ts'
import { publish } from '../../support/graphql/publish.ts'

let app: TestApp
let ada: Person
let bob: Person
beforeAll(async () => {
  app = await startApp()
  ada = await app.person('ada')
  bob = await app.person('bob')
})
afterAll(() => app.close())

const lineOf = (more: Partial<Line<'publication'>>) => ({
  type: 'publication' as const,
  cursor: '',
  uuid: newId(),
  parent: null,
  content: 'Hello',
  from: null,
  locked: false,
  created_at: new Date().toISOString(),
  edited_at: null,
  ...more,
})

/** Imports these lines into Ada's account, and returns what is left out. */
async function imported(lines: readonly ReturnType<typeof lineOf>[]) {
  const numbered = async function* () {
    for (const [index, line] of lines.entries()) yield { number: index + 1, line }
  }
  return importLines(app.database, ada.id, { lines: numbered })
}

const read = async (uuid: string) =>
  (await app.graphql(ada.token, `{ post(uuid: "${uuid}") { quotedUuid quotable quoted { quoteCount } } }`)).data

test('a quote of what follows later in the file is imported, also in another batch', async () => {
  const uuid = newId()
  const between = Array.from({ length: 300 }, () => lineOf({}))
  const quote = lineOf({ quote: uuid, quotable: false })
  const { problems } = await imported([quote, ...between, lineOf({ uuid })])
  expect(problems).toEqual([])
  expect(await read(quote.uuid)).toEqual({ post: { quotedUuid: uuid, quotable: false, quoted: { quoteCount: 1 } } })
  expect(await wrongCounters(app.database)).toEqual([])
})

test('a quote of what is not here, or may not be quoted, is imported without it', async () => {
  const [gone, closed] = [newId(), await publish(app, bob, { quotable: false })]
  const lines = [lineOf({ quote: gone }), lineOf({ quote: closed })]
  const { problems, imported: counts } = await imported(lines)
  expect(counts).toEqual({ publication: 2 })
  expect(problems).toEqual([
    { line: 1, problem: `It cannot quote ${gone}: imported without the quote.` },
    { line: 2, problem: `It cannot quote ${closed}: imported without the quote.` },
  ])
})

test('an import that is repeated does not bring back a quote that was detached', async () => {
  const post = await publish(app, bob)
  const line = lineOf({ quote: post })
  await imported([line])
  expect(await read(line.uuid)).toMatchObject({ post: { quotedUuid: post } })
  await app.rest(bob.token, 'DELETE', `/post/${line.uuid}/quote`)
  await imported([line])
  expect(await read(line.uuid)).toMatchObject({ post: { quotedUuid: null } })
  expect(await wrongCounters(app.database)).toEqual([])
})
