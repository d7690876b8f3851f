import { readFileSync } from 'node:fs'
import SchemaBuilder from '@pothos/core'
import PrismaPlugin from '@pothos/plugin-prisma'
import { PrismaPg } from '@prisma/adapter-pg'
import fc from 'fast-check'
import { type ExecutionResult, graphql } from 'graphql'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type PrismaTypes from '../../examples/compiler/generated/pothos.ts'
import { getDatamodel } from '../../examples/compiler/generated/pothos.ts'
import { PrismaClient } from '../../examples/compiler/generated/prisma/client.ts'
import { schema } from '../../examples/compiler/schema.ts'
import { createLibrary } from '../../examples/compiler/server.ts'
import { readPlugin } from '../../src/engine/compiler/read-plugin.ts'
import { createEmptyDatabase, type EmptyDatabase } from '../support/database/empty-database.ts'
import { textOf } from '../support/project/source-files.ts'
import { answerWithDataLoader } from '../support/reference/library.ts'
import { randomQuery } from '../support/reference/random-selection.ts'

const seed = Number(process.env.SEED ?? 42)

let database: EmptyDatabase
let pool: pg.Pool
let prisma: PrismaClient
let library: ReturnType<typeof createLibrary>
const sent: string[] = []
beforeAll(async () => {
  database = await createEmptyDatabase()
  await database.client.query(readFileSync('examples/compiler/library.sql', 'utf8'))
  pool = new pg.Pool(database.connection)
  pool.on('connect', (client) => {
    const query = client.query.bind(client)
    const counting = (...given: readonly unknown[]) => {
      const [first] = given
      sent.push(typeof first === 'string' ? first : String(Reflect.get(Object(first), 'text')))
      return Reflect.apply(query, client, given)
    }
    Object.assign(client, { query: counting })
  })
  prisma = new PrismaClient({ adapter: new PrismaPg(pool) })
  library = createLibrary(pool)
})
afterAll(async () => {
  await pool.end()
  await database.remove()
})

type Answer = (source: string, variables: object) => Promise<ExecutionResult>

const ask: Answer = async (query, variables) => {
  const response = await library.fetch('http://library/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables }),
  })
  return response.json()
}
const askPrisma: Answer = (source, variableValues) =>
  graphql({ schema, source, variableValues: { ...variableValues }, contextValue: { prisma } })
const askDataLoader: Answer = (source, variables) => answerWithDataLoader(pool, source, { ...variables })

/** An answer as JSON has it, and the statements that it took. */
async function statementsOf(answer: Answer, source: string, variables = {}) {
  sent.length = 0
  const result = await answer(source, variables)
  return { result: JSON.parse(JSON.stringify(result)), statements: [...sent] }
}

const ids = Array.from(
  { length: 21 },
  (_, at) => `00000000-0000-4000-8000-0000000030${String(at + 1).padStart(2, '0')}`,
)
const id = fc.constantFrom(...ids)
const never = fc.constant(null)
const pools = { id, uuid: id, by: never, name: never, cursor: never, text: never, size: fc.nat(3), offset: fc.nat(3) }

test('random selections of the library are one statement each, with what plugin-prisma resolves', async () => {
  await fc.assert(
    fc.asyncProperty(randomQuery(schema, pools, { query: 4, fragment: 1 }), async ({ source, variables, others }) => {
      for (const values of [variables, others]) {
        const { result, statements } = await statementsOf(ask, source, values)
        // Skip fields of two types under one name.
        fc.pre(!/conflict/.test(JSON.stringify(result.errors ?? '')))
        expect(statements.length).toBeLessThanOrEqual(1)
        expect(result).toEqual((await statementsOf(askPrisma, source, values)).result)
        expect(result).toEqual((await statementsOf(askDataLoader, source, values)).result)
      }
    }),
    { seed, numRuns: 20, maxSkipsPerRun: 2, interruptAfterTimeLimit: 60_000 },
  )
})

test('the README of the example has the statement of a query, and how many others send', async () => {
  const readme = textOf('examples/compiler/README.md')
  const [, source = ''] = /```graphql\n(.*?)```/s.exec(readme) ?? []
  const [one, byPrisma, byLoaders] = [
    await statementsOf(ask, source),
    await statementsOf(askPrisma, source),
    await statementsOf(askDataLoader, source),
  ]
  expect(one.result.data.authors).toHaveLength(5)
  expect(byPrisma.result).toEqual(one.result)
  expect(byLoaders.result).toEqual(one.result)
  const [, statement = ''] = /```sql\n(.*?)```/s.exec(readme) ?? []
  expect(one.statements.join().replaceAll(/\s/g, '')).toContain(statement.replaceAll(/\s/g, ''))
  const stated = [...readme.matchAll(/^\| .* \| (\d+) \|$/gm)].map(([, count]) => Number(count))
  expect(stated).toEqual([one, byPrisma, byLoaders].map(({ statements }) => statements.length))
})

test('a list without a read is refused when the schema is built', () => {
  const builder = new SchemaBuilder<{ PrismaTypes: PrismaTypes }>({
    plugins: [readPlugin, PrismaPlugin],
    prisma: { client: prisma, dmmf: getDatamodel() },
  })
  builder.prismaObject('Genre', { fields: (t) => ({ id: t.exposeID('id') }) })
  builder.prismaObject('Book', { fields: (t) => ({ genres: t.relation('genres') }) })
  builder.queryType({ fields: (t) => ({ version: t.string({ resolve: () => '1' }) }) })
  expect(() => builder.toSchema()).toThrow(
    'Book.genres is neither a column nor a relation to one object, and has no read',
  )
})
