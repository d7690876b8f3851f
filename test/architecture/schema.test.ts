import { describe, expect, test } from 'vitest'
import { Documents } from '../../src/execution/documents.ts'
import { operations } from '../../src/rest/operations.ts'
import { printedSchema, schema } from '../../src/schema/schema.ts'
import { elementsOf } from '../support/schema-facts.ts'
import { textOf } from '../support/source-files.ts'

describe('the schema', () => {
  test('is identical to schema.graphql', async () => {
    expect(await printedSchema(), 'schema.graphql is out of date: npm run schema').toBe(textOf('schema.graphql'))
  })

  test('describes every element', () => {
    const undescribed = elementsOf(schema).filter(({ description }) => !description?.trim())
    expect(undescribed.map(({ name }) => name)).toEqual([])
  })

  test.each(operations)('has what the documents of $id select', ({ document, conditionalOn }) => {
    const documents = new Documents(schema, { introspection: false })
    for (const { source } of [document, conditionalOn?.document ?? document])
      expect(documents.loadTrusted(source)).toEqual([expect.any(String)])
  })
})
