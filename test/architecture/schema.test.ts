import { readFile } from 'node:fs/promises'
import { buildSchema } from 'graphql'
import { describe, expect, test } from 'vitest'
import { printedSchema, schema } from '../../src/schema/schema.ts'
import { elementsOf, factsOf } from '../support/schema-facts.ts'

const fileBeside = (name: string) => readFile(new URL(name, import.meta.url), 'utf8')

describe('the schema', () => {
  test('is identical to schema.graphql', async () => {
    expect(await printedSchema(), 'schema.graphql is out of date: npm run schema').toBe(
      await fileBeside('../../schema.graphql'),
    )
  })

  test('describes every element', () => {
    const undescribed = elementsOf(schema).filter(({ description }) => !description?.trim())
    expect(undescribed.map(({ name }) => name)).toEqual([])
  })

  test('contains everything in the contract', async () => {
    const contract = factsOf(buildSchema(await fileBeside('contract.graphql')))
    const facts = new Set(factsOf(schema))
    expect(contract.filter((fact) => !facts.has(fact))).toEqual([])
    expect(contract.length).toBeGreaterThan(250)
  })

  test('requires no input that the contract does not have', async () => {
    const contract = buildSchema(await fileBeside('contract.graphql'))
    const facts = new Set(factsOf(contract))
    const names = new Set(elementsOf(contract).map(({ name }) => name))
    const required = factsOf(schema).filter((fact) => /\(\w+: .*!\)$|^input .*!$/.test(fact))
    // Arguments of fields outside the contract do not concern its clients.
    const isOfNewField = (fact: string) => fact.includes('(') && !names.has(fact.replace(/\(.*/, ''))
    expect(required.filter((fact) => !facts.has(fact) && !isOfNewField(fact))).toEqual([])
    expect(required.filter((fact) => facts.has(fact)).length).toBeGreaterThan(15)
  })
})
