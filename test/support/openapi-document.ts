/** A value of a JSON document. */
export type Json = null | boolean | number | string | Json[] | JsonObject

/** An object of a JSON document. */
export type JsonObject = { [name: string]: Json }

/** The value if it is an object, otherwise an empty object. */
export function objectOf(value: Json | undefined): JsonObject {
  const isObject = typeof value === 'object' && value !== null
  return isObject && !Array.isArray(value) ? value : {}
}

/** The value if it is a list, otherwise an empty list. */
export function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : []
}

/** The strings of a list. */
export function namesOf(value: Json | undefined): string[] {
  return listOf(value).filter((name) => typeof name === 'string')
}

/** The component that both values refer to, such as `schemas/Post`; otherwise the given place. */
export function placeOf(before: Json | undefined, after: Json | undefined, otherwise: string): string {
  const [{ $ref: was }, { $ref: is }] = [objectOf(before), objectOf(after)]
  return typeof was === 'string' && was === is ? was.replace(/^#\/(?:components\/)?/, '') : otherwise
}

/** An OpenAPI document without external references. */
export class OpenApiDocument {
  readonly root: JsonObject

  constructor(root: JsonObject) {
    this.root = root
  }

  /**
   * The value, or the target of its `$ref`.
   *
   * @throws {TypeError} if the target of a reference does not exist
   */
  resolve(value: Json | undefined): Json | undefined {
    const { $ref } = objectOf(value)
    if (typeof $ref !== 'string') return value
    const names = $ref.split('/').map((name) => decodeURIComponent(name).replaceAll('~1', '/').replaceAll('~0', '~'))
    const target = names.slice(1).reduce<Json | undefined>((inner, name) => objectOf(inner)[name], this.root)
    if (names[0] !== '#' || target === undefined) throw new TypeError(`There is no ${$ref}`)
    return this.resolve(target)
  }

  /** The object that a value is or refers to, otherwise an empty object. */
  object(value: Json | undefined): JsonObject {
    return objectOf(this.resolve(value))
  }
}
