import { isNonNullType } from 'graphql'
import type { Documented } from '../operation.ts'
import type { DeclaredVariables, Variable } from '../variables.ts'
import { Component, type Json, objectOf, typeSchema, unitOf } from './json.ts'

function fieldSchema({ type, use }: Variable): Json {
  const { form, range } = use.extensions
  return {
    ...Object(typeSchema(type, { form, isSent: true })),
    ...(range && { minimum: range.min, maximum: range.max }),
    description: `${use.description}${unitOf(type)}`,
  }
}

const aliasSchema = (name: string): Json => ({
  type: ['boolean', 'null'],
  description: `Alias of \`${name}\`; ignored if \`${name}\` is present.`,
})

/** The schema of the body of an operation, whose fields are these variables and their aliases. */
export function bodySchema({ id, body }: Documented, fields: DeclaredVariables): Component {
  const aliases = Object.entries(body?.aliases ?? {})
  const properties = Object.fromEntries([
    ...[...fields].map(([name, variable]) => [name, fieldSchema(variable)] as const),
    ...aliases.map(([alias, name]) => [alias, aliasSchema(name)] as const),
  ])
  const required = [...fields].flatMap(([name, { type }]) => (isNonNullType(type) ? [name] : []))
  const names = Object.keys(properties)
  // As a negation, since many generators turn alternatives into types that allow more than the properties do.
  const nothing = { properties: Object.fromEntries(names.map((name) => [name, { type: 'null' }])) }
  const isChange = required.length === 0 && !body?.isOptional
  const description = isChange
    ? 'The changes: at least one field that is not null. Other fields are ignored.'
    : 'Other fields are ignored.'
  return new Component(`${id.charAt(0).toUpperCase()}${id.slice(1)}Body`, {
    ...objectOf(properties, description, required),
    ...(isChange && { minProperties: 1, not: nothing }),
    example: body?.example,
  })
}
