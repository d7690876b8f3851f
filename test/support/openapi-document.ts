/** A value of a JSON document. */
export type Json = null | boolean | number | string | Json[] | JsonObject

/** An object of a JSON document. */
export type JsonObject = { [name: string]: Json }

/** What a value is when it is an object; otherwise an empty one. */
export function objectOf(value: Json | undefined): JsonObject {
  const isObject = typeof value === 'object' && value !== null
  return isObject && !Array.isArray(value) ? value : {}
}

/** What a value is when it is a list; otherwise an empty one. */
export function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : []
}

/** The strings of a list. */
export function namesOf(value: Json | undefined): string[] {
  return listOf(value).filter((name) => typeof name === 'string')
}

/** Where two values are that have one component in common, such as `schemas/Post`; otherwise where it was said that they are. */
export function placeOf(before: Json | undefined, after: Json | undefined, otherwise: string): string {
  const [{ $ref: was }, { $ref: is }] = [objectOf(before), objectOf(after)]
  return typeof was === 'string' && was === is ? was.replace(/^#\/(?:components\/)?/, '') : otherwise
}

/** An OpenAPI document whose references lead within itself. */
export class OpenApiDocument {
  readonly root: JsonObject

  constructor(root: JsonObject) {
    this.root = root
  }

  /**
   * What a value is, or what its `$ref` names.
   *
   * @throws {TypeError} for a reference that leads nowhere
   */
  resolve(value: Json | undefined): Json | undefined {
    const { $ref } = objectOf(value)
    if (typeof $ref !== 'string') return value
    const names = $ref.split('/').map((name) => decodeURIComponent(name).replaceAll('~1', '/').replaceAll('~0', '~'))
    const target = names.slice(1).reduce<Json | undefined>((inner, name) => objectOf(inner)[name], this.root)
    if (names[0] !== '#' || target === undefined) throw new TypeError(`There is no ${$ref}`)
    return this.resolve(target)
  }

  /** The object that a value is or refers to; an empty one when there is none. */
  object(value: Json | undefined): JsonObject {
    return objectOf(this.resolve(value))
  }
}
