import { Kind, type TypeNode } from 'graphql'
import { contentBounds } from '../../domain/publications.ts'
import { refusedCharacters } from '../../domain/text.ts'
import type { Program } from '../../execution/program.ts'
import { largestLimit, lastPage } from '../pages.ts'
import { usernameFormat, uuidFormat } from '../paths.ts'
import { hasPageInPath, type Route } from '../route.ts'
import { bodyExamples } from './examples.ts'
import { flag, newText, type ObjectSchema, orNull, ref, type Schema } from './json-schema.ts'

const sourceOf = (format: RegExp) => format.source.replace(/^\^|\$$/g, '')

const uuid: Schema = { type: 'string', format: 'uuid', pattern: uuidFormat.source, minLength: 36, maxLength: 36 }

const user: Schema = {
  type: 'string',
  pattern: `^(?:${sourceOf(usernameFormat)}|${sourceOf(uuidFormat)})$`,
  minLength: 2,
  maxLength: 36,
}

const wholeNumber = (maximum: number, byDefault?: number): Schema => ({
  type: 'integer',
  format: 'int32',
  minimum: 1,
  maximum,
  ...(byDefault !== undefined && { default: byDefault }),
})

const page = 'The number of the page. What is no such number is refused with 422.'

const inPath = (name: string, schema: Schema, description: string, example: unknown): Schema => ({
  name,
  in: 'path',
  required: true,
  description,
  schema,
  example,
})

/** The parameters of paths, by the names that templates have for them. */
const pathParameters: Readonly<Record<string, Schema>> = {
  uuid: inPath('uuid', uuid, 'Which post or reply; a malformed one is not found.', bodyExamples.parent),
  user: inPath('user', user, 'Which user, by uuid or as `@username`; a malformed one is not found.', '@wren'),
  page: inPath('page', wholeNumber(lastPage), page, 1),
}

/** The parameters that several operations share. */
export const parameterComponents: Readonly<Record<string, Schema>> = {
  ...pathParameters,
  pageOfList: { name: 'page', in: 'query', description: page, schema: wholeNumber(lastPage, 1), example: 1 },
}

/** The parameters of an operation. */
export function parametersOf(route: Route): Schema[] {
  const named = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => {
    if (pathParameters[name] === undefined) throw new Error(`${route.path}: {${name}} is not described`)
    return ref('parameters', name)
  })
  if (!route.pages) return named
  const limit = {
    name: 'limit',
    in: 'query',
    description: 'How many elements the page has at most.',
    schema: wholeNumber(largestLimit, route.pages.size),
    example: route.pages.size,
  }
  return [...named, ...(hasPageInPath(route) ? [] : [ref('parameters', 'pageOfList')]), limit]
}

/** What the fields of bodies mean, by name. */
const fieldNotes: Readonly<Record<string, string>> = {
  content: `What it says: not blank, without ${refusedCharacters} and without a lone surrogate, counted in Unicode code points, kept as sent.`,
  locked: 'Whether its author alone may reply to it.',
  lock: 'Whether its author alone may reply to it.',
  parent: 'The uuid of what is replied to.',
  from: 'Null, or the uuid of the application that the token was issued to: others are refused with 403.',
}

/** The schema of a field by the type of its variable; one that needs no value may be null as well, which counts as absent. */
function fieldSchema(type: TypeNode, description: string): Schema {
  if (type.kind === Kind.NON_NULL_TYPE) return valueSchema(type.type, description)
  return orNull(valueSchema(type, description))
}

function valueSchema(type: TypeNode, description: string): Schema {
  const name = type.kind === Kind.NAMED_TYPE ? type.name.value : undefined
  if (name === 'String') return newText(contentBounds, description)
  if (name === 'Boolean') return flag(description)
  if (name === 'UUID') return { ...uuid, description }
  throw new Error(`A field of a body cannot be a ${name}`)
}

/** The body of an operation that reads one, from the variables of its document. Throws for a field that is not described. */
export function bodySchema({ id, method, body = [] }: Route, { operation }: Program): ObjectSchema {
  const fields = body.map((field) => {
    const variable = operation.variableDefinitions?.find((it) => it.variable.name.value === field)
    const note = fieldNotes[field]
    if (variable === undefined || note === undefined) throw new Error(`${id}: the field ${field} is not described`)
    return { field, schema: fieldSchema(variable.type, note), isRequired: variable.type.kind === Kind.NON_NULL_TYPE }
  })
  // What an example names, nobody has: it works as it is where nothing has to be named.
  const shown = fields.filter(({ isRequired, schema }) => isRequired || schema.format !== 'uuid')
  const required = fields.filter(({ isRequired }) => isRequired).map(({ field }) => field)
  const schema = {
    type: 'object',
    properties: Object.fromEntries(fields.map(({ field, schema }) => [field, schema])),
    example: Object.fromEntries(shown.map(({ field }) => [field, bodyExamples[field]])),
  }
  if (method !== 'PATCH') return { ...schema, description: 'Other fields are ignored.', required }
  const nothing = Object.fromEntries(body.map((field) => [field, { type: 'null' }]))
  return {
    ...schema,
    description: 'What changes: at least one field that is not null. Other fields are ignored.',
    minProperties: 1,
    // Told by what it is not, since of alternatives many generators would make types that allow more than the properties do.
    not: { properties: nothing },
  }
}
