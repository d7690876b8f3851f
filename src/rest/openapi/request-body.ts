import { Kind, type TypeNode } from 'graphql'
import type { PreparedOperation } from '../../operations/prepared-operation.ts'
import type { Operation } from '../operation.ts'
import { uuidFormat } from '../paths.ts'
import type { BodyField } from '../schemas/body-fields.ts'
import { flag, newText, type ObjectSchema, orNull, type Schema } from '../schemas/json-schema.ts'

/** The uuid of a request, in either case. */
export const uuid: Schema = {
  type: 'string',
  format: 'uuid',
  pattern: uuidFormat.source,
  minLength: 36,
  maxLength: 36,
}

/** The schema of a field by the type of its variable. A field that is not required may be null as well, which counts as absent. */
function fieldSchema(type: TypeNode, field: BodyField): Schema {
  if (type.kind === Kind.NON_NULL_TYPE) return valueSchema(type.type, field)
  return orNull(valueSchema(type, field))
}

function valueSchema(type: TypeNode, { description, bounds, form }: BodyField): Schema {
  const name = type.kind === Kind.NAMED_TYPE ? type.name.value : undefined
  if (name === 'String' && bounds) return newText(bounds, description)
  if (name === 'Boolean') return flag(description)
  if (name === 'UUID') return { ...uuid, ...(form && { pattern: form.source }), description }
  throw new Error(`A body field of the type ${name} is not supported, or is a text without bounds`)
}

/** The schema of the body of an operation, from its fields and the variables of its document. */
export function bodySchema(
  { id, method }: Operation,
  body: Readonly<Record<string, BodyField>>,
  { operation }: PreparedOperation,
): ObjectSchema {
  const fields = Object.entries(body).flatMap(([name, field]) => {
    const variable = operation.variableDefinitions?.find((it) => it.variable.name.value === name)
    if (variable === undefined) throw new Error(`${id}: the document has no variable for the body field ${name}`)
    const isRequired = variable.type.kind === Kind.NON_NULL_TYPE
    const own = { name, schema: fieldSchema(variable.type, field), isRequired, example: field.example }
    if (field.alias === undefined) return [own]
    const description = `Alias of \`${name}\`; ignored if \`${name}\` is present.`
    const schema = fieldSchema(variable.type, { ...field, description })
    return [own, { name: field.alias, schema, isRequired: false, example: undefined }]
  })
  const required = fields.filter(({ isRequired }) => isRequired).map(({ name }) => name)
  const examples = fields.filter(({ example }) => example !== undefined).map(({ name, example }) => [name, example])
  const schema = {
    type: 'object',
    properties: Object.fromEntries(fields.map(({ name, schema }) => [name, schema])),
    example: Object.fromEntries(examples),
  }
  if (method !== 'PATCH') return { ...schema, description: 'Other fields are ignored.', required }
  const nothing = Object.fromEntries(fields.map(({ name }) => [name, { type: 'null' }]))
  return {
    ...schema,
    description: 'The changes: at least one field that is not null. Other fields are ignored.',
    minProperties: 1,
    // As a negation, since many generators turn alternatives into types that allow more than the properties do.
    not: { properties: nothing },
  }
}
