import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Statement } from '../../../src/engine/data/backend.ts'
import { batchedText } from '../../../src/engine/data/batches.ts'
import type { Database } from '../../../src/engine/data/database.ts'
import { type Person, startApp, type TestApp } from '../../support/app.ts'
import { whileLocked } from '../../support/database/locks.ts'
import { onPostgres } from '../../support/database.ts'
import { publish } from '../../support/graphql/publish.ts'

let app: TestApp
let database: Database
let ada: Person
beforeAll(async () => {
  app = await startApp()
  ;({ database } = app)
  ada = await app.person('ada')
})
afterAll(() => app.close())

const runCheap = (statement: Pick<Statement, 'text' | 'values'>) =>
  database.read({ ...statement, preparation: 'never', isCheap: true })

/** Counts the statements with this text that are executed meanwhile. */
async function executionsOf(text: string, work: () => Promise<unknown>): Promise<number> {
  return (await app.statementsOf(work)).filter((statement) => statement.includes(text)).length
}

const doubled = (values: readonly unknown[]) => ({ text: 'select ($1::int * 2)::text as doubled', values })

describe('cheap statements of one text', () => {
  test('are executed in batches, and each gets its own rows', async () => {
    let answers: unknown[] = []
    const executions = await executionsOf('doubled', async () => {
      answers = await Promise.all(Array.from({ length: 300 }, (_, index) => runCheap(doubled([index]))))
    })
    expect(answers).toEqual(Array.from({ length: 300 }, (_, index) => [{ doubled: String(index * 2) }]))
    expect(executions).toBe(onPostgres ? 3 : 19)
  })

  test('get no row or several rows where their statement does', async () => {
    const text = 'select n::text from generate_series(1, $1::int) n'
    const answers = await Promise.all([0, 2, 1].map((count) => runCheap({ text, values: [count] })))
    expect(answers).toEqual([[], [{ n: '1' }, { n: '2' }], [{ n: '1' }]])
  })

  test('fail alone', async () => {
    const text = 'select (10 / $1::int)::text as quotient'
    const answers = await Promise.allSettled([1, 0, 5].map((divisor) => runCheap({ text, values: [divisor] })))
    expect(answers).toMatchObject([
      { status: 'fulfilled', value: [{ quotient: '10' }] },
      { status: 'rejected', reason: { code: '22012' } },
      { status: 'fulfilled', value: [{ quotient: '2' }] },
    ])
  })

  test('take nulls, texts of every kind, UUIDs and booleans', async () => {
    const text = 'select $1::text as t, $2::uuid::text as u, $3::boolean::text as b'
    const uuid = '01900000-0000-7000-8000-000000000000'
    const rows = [
      [`'"\\{},NULL null\n`, uuid, true],
      [null, null, null],
      ['', uuid, false],
    ]
    const answers = await Promise.all(rows.map((values) => runCheap({ text, values })))
    expect(answers).toEqual(rows.map(([t, u, b]) => [{ t, u, b: b === null ? null : String(b) }]))
  })
})

const like = (uuid: string, field: string) =>
  app.graphql(
    ada.token,
    `mutation { setLike(input: { uuid: "${uuid}", liked: true }) { publication { uuid ${field} } } }`,
  )

test('a write and the read of its payload are sent together', async () => {
  const uuid = await publish(app, ada)
  const events: string[] = []
  const isOf = (text: string) => /set_like|live_publications/.test(text)
  const stop = database.instrumentation.observe({
    start: ({ text }) => isOf(text) && events.push('sent'),
    asyncEnd: ({ text }) => isOf(text) && events.push('answered'),
  })
  expect(await like(uuid, 'likeCount')).toMatchObject({ data: { setLike: { publication: { uuid, likeCount: 1 } } } })
  stop()
  expect(events).toEqual(['sent', 'sent', 'answered', 'answered'])
})

test('writes in a batch each get their own payload, or their own refusal', async () => {
  const uuids = await Promise.all(Array.from({ length: 12 }, () => publish(app, ada)))
  const all = uuids.flatMap((uuid) => [uuid, crypto.randomUUID()])
  const answers = await Promise.all(all.map((uuid, index) => like(uuid, index % 4 ? 'likeCount' : 'viewerHasLiked')))
  expect(answers).toMatchObject(
    all.map((uuid, index) =>
      index % 2
        ? { data: null, errors: [{ extensions: { code: 'NOT_FOUND' } }] }
        : {
            data: { setLike: { publication: { uuid, ...(index % 4 ? { likeCount: 1 } : { viewerHasLiked: true }) } } },
          },
    ),
  )
})

test('a parameter with an array stays a parameter', () => {
  expect(batchedText('select $1::int, $2::uuid')).toContain('unnest($1::int[], $2::uuid[])')
})

test('requests for single posts at the same time share statements', async () => {
  const uuids = await Promise.all(Array.from({ length: 16 }, () => publish(app, ada)))
  const document = 'query ($uuid: UUID!) { post(uuid: $uuid) { uuid author { username } } }'
  let answers: unknown[] = []
  const executions = await executionsOf('live_publications', async () => {
    let reading: Promise<unknown[]> = Promise.resolve([])
    await whileLocked(app, 'publications', async () => {
      reading = Promise.all(uuids.map((uuid) => app.graphql(ada.token, document, { uuid })))
      await setTimeout(300)
    })
    answers = await reading
  })
  expect(answers).toMatchObject(uuids.map((uuid) => ({ data: { post: { uuid, author: { username: 'ada' } } } })))
  expect(executions).toBeLessThan(uuids.length)
})
