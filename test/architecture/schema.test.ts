import { describe, expect, test } from 'vitest'
import { Documents } from '../../src/engine/execution/documents.ts'
import { conditionalRead } from '../../src/engine/rest/interface.ts'
import { rest } from '../../src/server/rest.ts'
import { printedSchema, schema } from '../../src/server/schema.ts'
import { textOf } from '../support/project/source-files.ts'
import { elementsOf } from '../support/schema/schema-facts.ts'

describe('the schema', () => {
  test('is identical to schema.graphql', async () => {
    expect(await printedSchema(), 'schema.graphql is out of date: npm run schema').toBe(textOf('schema.graphql'))
  })

  test('describes every element', () => {
    const undescribed = elementsOf(schema).filter(({ description }) => !description?.trim())
    expect(undescribed.map(({ name }) => name)).toEqual([])
  })

  test.each(rest.operations)('has what the documents of $id select', ({ document }) => {
    const documents = new Documents(schema, { introspection: false })
    expect(documents.loadTrusted(document.source)).toEqual([expect.any(String)])
  })

  test('has a condition for each write of what has an entity tag', () => {
    const conditional = rest.operations.filter((operation) => conditionalRead(rest, operation))
    expect(conditional.map(({ id }) => id)).toContain('deleteUser')
    for (const { document } of conditional) expect(document.source).toContain('$ifUnchangedSince: DateTime')
  })
})
