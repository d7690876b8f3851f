import { isIntrospectionType, isObjectType } from 'graphql'
import { describe, expect, test } from 'vitest'
import { leafBytes, typenameBytes } from '../../src/reads/cost.ts'
import { leafTypeOf } from '../../src/reads/json.ts'
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

  test('has a greatest size for every leaf and for every name of a type', () => {
    const types = Object.values(schema.getTypeMap()).filter((type) => isObjectType(type) && !isIntrospectionType(type))
    expect(types.filter(({ name }) => name.length + 2 > typenameBytes)).toEqual([])
    const withoutSize = types.flatMap((type) =>
      Object.values(isObjectType(type) ? type.getFields() : {})
        .filter((field) => {
          const leaf = leafTypeOf(field.type)
          return leaf && leafBytes(field, leaf) === undefined
        })
        .map((field) => `${type.name}.${field.name}`),
    )
    expect(withoutSize).toEqual([])
  })
})
