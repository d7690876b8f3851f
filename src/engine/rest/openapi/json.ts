import {
  type GraphQLEnumValue,
  type GraphQLInputType,
  type GraphQLOutputType,
  type GraphQLScalarType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isListType,
  isNonNullType,
  isScalarType,
} from 'graphql'
import { maxValues } from '../../http/json-body.ts'
import { latestTime } from '../../schema/scalars.ts'
import type { TextForm } from '../../text/text-form.ts'
import { inLowerCase, uuidForm } from '../../text/uuids.ts'

/** An object of an OpenAPI 3.1 document, such as a JSON Schema (draft 2020-12). */
export type Json = { readonly [keyword: string]: unknown }

/** A part of an OpenAPI document that follows from the schema of GraphQL. */
export class Derived {
  readonly from: (schema: GraphQLSchema) => unknown

  constructor(from: Derived['from']) {
    this.from = from
  }
}

/** A schema with a name, which the OpenAPI document refers to. */
export class Component {
  readonly id: string
  readonly schema: Json | Derived

  constructor(id: string, schema: Component['schema']) {
    this.id = id
    this.schema = schema
  }
}

/** A reference to a component. */
export function ref(section: 'schemas' | 'responses' | 'headers' | 'parameters', name: string): Json {
  return { $ref: `#/components/${section}/${name}` }
}

/** A text of this form, with these lengths in characters. */
export const matching = (pattern: RegExp, max: number, min = 0): Json => ({
  type: 'string',
  ...(min > 0 && { minLength: min }),
  maxLength: max,
  pattern: pattern.source.replaceAll('\\/', '/'),
})

/** A text of this form that is sent, or in a response. */
function textSchema({ pattern, max, min, format }: TextForm, isSent: boolean): Json {
  const form = isSent || format !== 'uuid' ? pattern : inLowerCase(pattern)
  return { ...matching(form, max, min), ...(format && { format }) }
}

/** A UUID in a response. */
export const uuid = textSchema(uuidForm, false)

/** A UUID in a request. */
export const sentUuid = textSchema(uuidForm, true)

/** An integer of at most 32 bits. */
export const int32 = (minimum: number, maximum = 2 ** 31 - 1): Json => ({
  type: 'integer',
  minimum,
  maximum,
  format: 'int32',
})

/** A value that is always the same. */
export const constant = (value: string | boolean): Json => ({ type: typeof value, const: value })

/** An object with these properties, all of which it has unless others are listed. */
export function objectOf(properties: Json, description: string, required: readonly string[] = Object.keys(properties)) {
  return { type: 'object', properties, ...(required.length > 0 && { required }), description }
}

/** A time in Unix seconds, up to the year 9999. */
export const unixSeconds: Json = {
  type: 'integer',
  minimum: 0,
  maximum: Math.floor(latestTime / 1_000),
  format: 'int64',
}

const scalars: Json = { Boolean: { type: 'boolean' }, Int: int32(0), DateTime: unixSeconds }

function scalarSchema(
  { name, extensions }: GraphQLScalarType,
  { form = extensions.form, isSent = false }: Use,
): unknown {
  if (Object.hasOwn(scalars, name)) return scalars[name]
  if (!form) throw new TypeError(`A ${name} in REST needs a form`)
  return textSchema(form, isSent)
}

/** What the description of a value of this type ends with: the unit of times. */
export const unitOf = (type: GraphQLInputType | GraphQLOutputType): string =>
  getNamedType(type).name === 'DateTime' ? ' In Unix seconds.' : ''

/** The name of a value of an enum in REST. */
export const nameInRest = ({ value }: GraphQLEnumValue): string => String(value).toLowerCase()

/** How a value of GraphQL is used: the form of its texts, the schema of its objects, and whether clients send it. */
type Use = { readonly form?: TextForm | undefined; readonly objects?: unknown; readonly isSent?: boolean }

/** The schema of what REST makes of a type of GraphQL: enums in lower case, and times in Unix seconds. */
export function typeSchema(type: GraphQLInputType | GraphQLOutputType, use: Use): unknown {
  const schema = isNonNullType(type) ? presentSchema(type.ofType, use) : presentSchema(type, use)
  return isNonNullType(type) ? schema : orNull(schema)
}

function presentSchema(type: GraphQLInputType | GraphQLOutputType, use: Use): unknown {
  if (isListType(type))
    return { type: 'array', items: typeSchema(type.ofType, use), ...(use.isSent && { maxItems: maxValues }) }
  if (isEnumType(type)) return { type: 'string', enum: type.getValues().map(nameInRest) }
  return isScalarType(type) ? scalarSchema(type, use) : use.objects
}

/** With `type: ['string', 'null']` instead of `anyOf` where possible, which many generators turn into a type of its own. */
function orNull(schema: unknown): unknown {
  if (schema instanceof Component) return { anyOf: [schema, { type: 'null' }] }
  const json: Json = { ...Object(schema) }
  return { ...json, type: [json.type, 'null'] }
}
