import { isDeepStrictEqual } from 'node:util'
import {
  type Json,
  type JsonObject,
  listOf,
  namesOf,
  type OpenApiDocument,
  objectOf,
  placeOf,
} from './openapi-document.ts'

/** The direction of a value: requests must not become narrower, and responses must not become wider. */
export type Direction = 'request' | 'response'

type Pair = { readonly before: JsonObject; readonly after: JsonObject }

const annotations = new Set(['title', 'description', 'example', 'examples', '$comment', 'deprecated', 'externalDocs'])
const compared = new Set([
  'type',
  'const',
  'enum',
  'properties',
  'required',
  'items',
  'additionalProperties',
  'default',
])
const floors = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties']
const ceilings = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties']
const alternatives = ['anyOf', 'oneOf', 'allOf']

/**
 * What breaks clients between two JSON Schemas (2020-12) of one value, a line for each. A difference of a keyword that it
 * does not know how to weigh counts as breaking.
 */
export class SchemaComparison {
  readonly #before: OpenApiDocument
  readonly #after: OpenApiDocument
  readonly #direction: Direction
  /** The pairs being compared, by identity, because schemas can be recursive. */
  readonly #open: { readonly before: Json | undefined; readonly after: Json | undefined }[] = []

  constructor(before: OpenApiDocument, after: OpenApiDocument, direction: Direction) {
    this.#before = before
    this.#after = after
    this.#direction = direction
  }

  /** Compares two schemas. A missing schema and `true` allow anything. */
  compare(before: Json | undefined, after: Json | undefined, at: string): string[] {
    const pair = { before: this.#before.resolve(before), after: this.#after.resolve(after) }
    const isObject = typeof pair.before === 'object' && typeof pair.after === 'object'
    if (isObject && this.#open.some((it) => it.before === pair.before && it.after === pair.after)) return []
    this.#open.push(pair)
    try {
      const place = placeOf(before, after, at)
      return this.#alternatives(kindsOf(pair.before, this.#before), kindsOf(pair.after, this.#after), place)
    } finally {
      this.#open.pop()
    }
  }

  /** Requests must keep accepting each kind of value; responses must not contain new kinds. */
  #alternatives(before: readonly JsonObject[], after: readonly JsonObject[], at: string): string[] {
    const fits = (pair: Pair) => this.#one(pair, at).length === 0
    const gone = before.filter((it) => !after.some((other) => fits({ before: it, after: other })))
    const come = after.filter((it) => !before.some((other) => fits({ before: other, after: it })))
    const missing = this.#direction === 'request' ? gone : come
    const candidates = this.#direction === 'request' ? come : gone
    return missing.flatMap((it, index) => {
      const other =
        candidates.length === missing.length ? candidates[index] : candidates.find((one) => one.type === it.type)
      if (other && (other.type === it.type || before.length + after.length === 2)) {
        return this.#one(
          this.#direction === 'request' ? { before: it, after: other } : { before: other, after: it },
          at,
        )
      }
      return [
        this.#direction === 'request' ? `${at}: may no longer be ${kindOf(it)}` : `${at}: may now be ${kindOf(it)}`,
      ]
    })
  }

  #one({ before, after }: Pair, whole: string): string[] {
    const at = placeOf(before, after, whole)
    return [
      ...this.#types(before, after, at),
      ...this.#values(before, after, at),
      ...this.#bounds(before, after, at),
      ...this.#properties(before, after, at),
      ...this.#items(before, after, at),
      ...this.#rest(before, after, at),
    ]
  }

  #types(before: JsonObject, after: JsonObject, at: string): string[] {
    const [narrow, wide] = this.#direction === 'request' ? [before, after] : [after, before]
    const fits =
      wide.type === undefined || wide.type === narrow.type || (wide.type === 'number' && narrow.type === 'integer')
    return fits ? [] : [`${at}: type ${kindOf(before)} became ${kindOf(after)}`]
  }

  #values(before: JsonObject, after: JsonObject, at: string): string[] {
    const [had, has] = [valuesOf(before), valuesOf(after)]
    const [narrow, wide] = this.#direction === 'request' ? [had, has] : [has, had]
    if (wide === undefined) return []
    if (narrow === undefined) return [`${at}: is ${has === undefined ? 'no longer' : 'now'} one of a list`]
    const word = this.#direction === 'request' ? 'may no longer be' : 'may now be'
    const outside = narrow.filter((value) => !wide.some((other) => isDeepStrictEqual(value, other)))
    return outside.map((value) => `${at}: ${word} ${JSON.stringify(value)}`)
  }

  #bounds(before: JsonObject, after: JsonObject, at: string): string[] {
    const [outer, inner] = this.#direction === 'request' ? [after, before] : [before, after]
    const isOutside = (name: string, sign: 1 | -1) => {
      const [limit, value] = [outer[name], inner[name]]
      if (typeof limit !== 'number') return false
      return typeof value !== 'number' || value * sign < limit * sign
    }
    const broken = [...floors.filter((name) => isOutside(name, 1)), ...ceilings.filter((name) => isOutside(name, -1))]
    return broken.map((name) => changed(at, name, before, after))
  }

  #properties(before: JsonObject, after: JsonObject, at: string): string[] {
    const [had, has] = [objectOf(before.properties), objectOf(after.properties)]
    const [needed, needs] = [namesOf(before.required), namesOf(after.required)]
    const isRequest = this.#direction === 'request'
    const newlyRequired = needs.filter((name) => isRequest && !needed.includes(name))
    const noLongerSure = needed.filter((name) => !isRequest && name in has && !needs.includes(name))
    return [
      ...Object.keys(had).flatMap((name) =>
        name in has ? this.compare(had[name], has[name], `${at}.${name}`) : [`${at}.${name}: removed`],
      ),
      ...newlyRequired.map((name) => `${at}.${name}: now required`),
      ...noLongerSure.map((name) => `${at}.${name}: may now be absent`),
    ]
  }

  #items(before: JsonObject, after: JsonObject, at: string): string[] {
    const items =
      before.items === undefined && after.items === undefined ? [] : this.compare(before.items, after.items, `${at}[]`)
    const [was, is] = [before.additionalProperties ?? true, after.additionalProperties ?? true]
    // Clients must ignore unknown members, so only documented members matter.
    if (was === false || (is === true && (was === true || this.#direction === 'request'))) return items
    if (is === false) return this.#direction === 'request' ? [...items, `${at}: may have no further members`] : items
    return [...items, ...this.compare(was, is, `${at}.*`)]
  }

  #rest(before: JsonObject, after: JsonObject, at: string): string[] {
    const known = new Set([...annotations, ...compared, ...floors, ...ceilings, ...alternatives, '$ref'])
    const names = new Set([...Object.keys(before), ...Object.keys(after)])
    const differing = [...names].filter((name) => {
      if (known.has(name) && !(name === 'default' && this.#direction === 'request')) return false
      if (name.startsWith('x-') || isDeepStrictEqual(before[name], after[name])) return false
      // A request that must match less, or a response that matches more, breaks nobody.
      return (this.#direction === 'request' ? after : before)[name] !== undefined || name === 'default'
    })
    return differing.map((name) => changed(at, name, before, after))
  }
}

function changed(at: string, name: string, before: JsonObject, after: JsonObject): string {
  const [was, is] = [before[name], after[name]].map((value) => (value === undefined ? 'none' : JSON.stringify(value)))
  return `${at}: ${name} was ${was}, is ${is}`
}

/** The kinds of values that a schema allows: one for each alternative and each type. */
function kindsOf(schema: Json | undefined, document: OpenApiDocument): JsonObject[] {
  // Keep the reference, which names the place in messages.
  const named: JsonObject = { ...document.object(schema), $ref: objectOf(schema).$ref ?? null }
  const { allOf, anyOf, oneOf, ...own } = named
  const wholes = listOf(allOf)
    .map((part) => kindsOf(part, document))
    .reduce<JsonObject[]>((all, kinds) => kinds.flatMap((kind) => all.map((one) => joined(one, kind))), [own])
  const parts = [...listOf(anyOf), ...listOf(oneOf)].flatMap((part) => kindsOf(part, document))
  const kinds = parts.length > 0 ? wholes.flatMap((whole) => parts.map((part) => joined(whole, part))) : wholes
  return kinds.flatMap((kind) => {
    const types = listOf(kind.type)
    // Length, format and members do not apply to null.
    return types.length > 0 ? types.map((type) => (type === 'null' ? { type } : { ...kind, type })) : [kind]
  })
}

/** The schema that matches only what both match. */
function joined(one: JsonObject, other: JsonObject): JsonObject {
  const properties = { ...objectOf(one.properties) }
  for (const [name, schema] of Object.entries(objectOf(other.properties))) {
    const already = properties[name]
    properties[name] = already === undefined ? schema : { allOf: [already, schema] }
  }
  const required = [...new Set([...namesOf(one.required), ...namesOf(other.required)])]
  return { ...one, ...other, properties, required }
}

function kindOf({ type, title, const: constant }: JsonObject): string {
  if (constant !== undefined) return JSON.stringify(constant)
  return typeof title === 'string' ? title : typeof type === 'string' ? type : 'anything'
}

function valuesOf(schema: JsonObject): readonly Json[] | undefined {
  if (schema.const !== undefined) return [schema.const]
  return schema.enum === undefined ? undefined : listOf(schema.enum)
}
