import { z } from 'zod'
import { described } from './descriptions.ts'
import { component, components } from './types.ts'

const inCamelCase = (name: string) => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())

type Fields = Readonly<Record<string, z.ZodType>>

/** Fields with the descriptions of those of an input of GraphQL, unless they have their own. */
function fieldsOf<All extends Fields>(input: string, fields: All): All
function fieldsOf(input: string, fields: Fields): Fields {
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name, described(field, input, inCamelCase(name))]),
  )
}

/** The body of a write, a component of the OpenAPI document. Its fields have the descriptions of those of an input of GraphQL. */
export function bodyOf<All extends Fields>(
  id: string,
  input: string,
  fields: All,
  example: z.infer<z.ZodObject<All>>,
): z.ZodObject<All> {
  return component(id, 'Other fields are ignored.', fieldsOf(input, fields), example)
}

/** The body of an edit, like that of a write. */
export function changesOf<All extends Fields>(
  id: string,
  input: string,
  fields: All,
  example: z.infer<z.ZodObject<All>>,
): z.ZodObject<All> {
  const nothing = Object.fromEntries(Object.keys(fields).map((name) => [name, { type: 'null' }]))
  const schema = z
    .object(fieldsOf(input, fields))
    .describe('The changes: at least one field that is not null. Other fields are ignored.')
    // As a negation, since many generators turn alternatives into types that allow more than the properties do.
    .meta({ minProperties: 1, not: { properties: nothing } })
  components.add(schema, { id, example })
  return schema
}
