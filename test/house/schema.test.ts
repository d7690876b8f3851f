import { readFile } from 'node:fs/promises'
import { buildSchema } from 'graphql'
import { describe, expect, test } from 'vitest'
import { printedSchema, schema } from '../../src/schema/schema.ts'
import { onPostgres } from '../support/database.ts'
import { elementsOf, factsOf } from '../support/schema-facts.ts'

const fileBeside = (name: string) => readFile(new URL(name, import.meta.url), 'utf8')

describe.skipIf(onPostgres)('the schema', () => {
  test('is printed in schema.graphql', async () => {
    expect(await printedSchema(), 'schema.graphql is out of date: npm run schema').toBe(
      await fileBeside('../../schema.graphql'),
    )
  })

  test('describes each of its elements', () => {
    const undescribed = elementsOf(schema).filter(({ description }) => !description?.trim())
    expect(undescribed.map(({ name }) => name)).toEqual([])
  })

  test('has all that the contract fixes', async () => {
    const contract = factsOf(buildSchema(await fileBeside('contract.graphql')))
    const facts = new Set(factsOf(schema))
    expect(contract.filter((fact) => !facts.has(fact))).toEqual([])
    expect(contract.length).toBeGreaterThan(250)
  })

  test('requires no input of clients of the contract that the contract does not know', async () => {
    const contract = new Set(factsOf(buildSchema(await fileBeside('contract.graphql'))))
    const required = factsOf(schema).filter((fact) => /\(\w+: .*!\)$|^input .*!$/.test(fact))
    expect(required.filter((fact) => !contract.has(fact))).toEqual([])
  })
})
