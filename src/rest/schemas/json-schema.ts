import type { Bounds } from '../../domain/text.ts'

/** A JSON Schema (draft 2020-12), or another object of an OpenAPI 3.1 document. */
export type Schema = { readonly [keyword: string]: unknown }

/** The schema of an object. */
export type ObjectSchema = Schema & { readonly properties: Readonly<Record<string, Schema>> }

/** A reference to a component. */
export function ref(section: 'schemas' | 'responses' | 'headers' | 'parameters', name: string): Schema {
  return { $ref: `#/components/${section}/${name}` }
}

/** An object with these required properties, checked against the type of the response. */
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

/** A schema that also allows null. */
export function orNull(schema: Schema): Schema {
  return { ...schema, type: [schema.type, 'null'] }
}

/** A boolean. */
export function flag(description: string): Schema {
  return { type: 'boolean', description }
}

/** A counter. */
export function count(description: string): Schema {
  return { type: 'integer', format: 'int32', minimum: 0, maximum: 2_147_483_647, description }
}

/** A time in Unix seconds, up to the year 9999. */
export function time(description: string): Schema {
  return { type: 'integer', format: 'int64', minimum: 0, maximum: 253_402_300_799, description }
}

/** A UUID in a response. */
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
 * A stored text, with the bounds that `textError` checks. The pattern does not mention lone surrogates: interoperable JSON has none (RFC
 * 7493, section 2.1), and the patterns of many languages do not support them.
 */
export function text(bounds: Bounds, description: string): Schema {
  return textWithout('\\x00', bounds, description)
}

/** A new text, without the control characters that earlier versions stored. */
export function newText(bounds: Bounds, description: string): Schema {
  return textWithout('\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f', bounds, description)
}

/** A text without these characters. One that must not be empty must not be blank either. */
function textWithout(characters: string, { min, max }: Bounds, description: string): Schema {
  const [any, visible] = [`[^${characters}]*`, `[^\\s${characters}]`]
  const pattern = min > 0 ? `^${any}${visible}${any}$` : `^${any}$`
  return { type: 'string', ...(min > 0 && { minLength: min }), maxLength: max, pattern, description }
}

/** One of these words. */
export function oneOfWords(words: readonly string[], description: string): Schema {
  return { type: 'string', enum: words, description }
}
