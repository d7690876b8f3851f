import type { Bounds } from '../../domain/text.ts'

/** A JSON Schema (draft 2020-12), or another object of an OpenAPI 3.1 document. */
export type Schema = { readonly [keyword: string]: unknown }

/** The schema of an object. */
export type ObjectSchema = Schema & { readonly properties: Readonly<Record<string, Schema>> }

/** A reference to a component. */
export function ref(section: 'schemas' | 'responses' | 'headers' | 'parameters', name: string): Schema {
  return { $ref: `#/components/${section}/${name}` }
}

/** An object that has all of these properties; they are checked against the type that the code answers. */
export function objectOf<Shape>(
  description: string,
  properties: { readonly [Key in keyof Required<Shape>]: Schema },
): ObjectSchema {
  return { type: 'object', description, properties, required: Object.keys(properties) }
}

/** A list. */
export function listOf(items: Schema, maxItems: number, description: string): Schema {
  return { type: 'array', description, items, maxItems }
}

/** The same or null. */
export function orNull(schema: Schema): Schema {
  return { ...schema, type: [schema.type, 'null'] }
}

/** A boolean. */
export function flag(description: string): Schema {
  return { type: 'boolean', description }
}

/** A number of things. */
export function count(description: string): Schema {
  return { type: 'integer', format: 'int32', minimum: 0, maximum: 2_147_483_647, description }
}

/** A point in time, as a NumericDate of RFC 7519 without a fraction; the last is that of the year 9999. */
export function time(description: string): Schema {
  return { type: 'integer', format: 'int64', minimum: 0, maximum: 253_402_300_799, description }
}

/** A UUID as it is given back. */
export function uuid(description: string): Schema {
  return {
    type: 'string',
    format: 'uuid',
    pattern: '^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$',
    minLength: 36,
    maxLength: 36,
    description,
  }
}

/**
 * A text that was stored, with the bounds that `textError` holds. A lone surrogate has no place in a JSON string that is to be
 * exchanged (RFC 7493, section 2.1), nor in the patterns of many languages.
 */
export function text(bounds: Bounds, description: string): Schema {
  return textWithout('\\x00', bounds, description)
}

/** A text to store, which must not contain the control characters that earlier versions stored. */
export function newText(bounds: Bounds, description: string): Schema {
  return textWithout('\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f', bounds, description)
}

/** A text without these characters and, when it needs something in it, with more than white space. */
function textWithout(characters: string, { min, max }: Bounds, description: string): Schema {
  const [any, visible] = [`[^${characters}]*`, `[^\\s${characters}]`]
  const pattern = min > 0 ? `^${any}${visible}${any}$` : `^${any}$`
  return { type: 'string', ...(min > 0 && { minLength: min }), maxLength: max, pattern, description }
}

/** One of a few words. */
export function oneOfWords(words: readonly string[], description: string): Schema {
  return { type: 'string', enum: words, description }
}
