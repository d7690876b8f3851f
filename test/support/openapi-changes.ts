import { SchemaComparison } from './json-schema-changes.ts'
import { type Json, type JsonObject, listOf, namesOf, OpenApiDocument, objectOf, placeOf } from './openapi-document.ts'

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']
const unweighed = ['style', 'explode', 'allowReserved', 'allowEmptyValue']

/**
 * The changes between two OpenAPI documents (3.1) that break clients, one a line: removed parts, new requirements, requests that are no
 * longer accepted, and responses that were not possible before. Descriptions and examples are ignored.
 */
export function breakingOpenApiChanges(before: JsonObject, after: JsonObject): string[] {
  return [...new Set(new Comparison(new OpenApiDocument(before), new OpenApiDocument(after)).changes())]
}

type Objects = { readonly had: JsonObject; readonly has: JsonObject }

class Comparison {
  readonly #before: OpenApiDocument
  readonly #after: OpenApiDocument
  readonly #request: SchemaComparison
  readonly #response: SchemaComparison

  constructor(before: OpenApiDocument, after: OpenApiDocument) {
    this.#before = before
    this.#after = after
    this.#request = new SchemaComparison(before, after, 'request')
    this.#response = new SchemaComparison(before, after, 'response')
  }

  changes(): string[] {
    const [before, after] = [this.#before.root, this.#after.root]
    const urls = (root: JsonObject) => listOf(root.servers).map((server) => String(objectOf(server).url))
    const servers = urls(before).filter((url) => !urls(after).includes(url))
    return [
      ...servers.map((url) => `server ${url}: removed`),
      ...this.#members(before.paths, after.paths, (path) => path, this.#path),
    ]
  }

  /** Compares entries of the same name. Those that only the first has were removed. */
  #members(
    before: Json | undefined,
    after: Json | undefined,
    named: (name: string) => string,
    compare: (objects: Objects, at: string) => string[],
  ): string[] {
    const [had, has] = [this.#before.object(before), this.#after.object(after)]
    return Object.keys(had).flatMap((name) => {
      if (!(name in has)) return [`${named(name)}: removed`]
      const place = placeOf(had[name], has[name], named(name))
      return compare({ had: this.#before.object(had[name]), has: this.#after.object(has[name]) }, place)
    })
  }

  readonly #path = ({ had, has }: Objects, path: string): string[] => {
    const operations = (item: JsonObject) =>
      Object.fromEntries(Object.entries(item).filter(([key]) => methods.includes(key)))
    const named = (method: string) => `${method.toUpperCase()} ${path}`
    return this.#members(operations(had), operations(has), named, (pair, at) => [
      ...this.#operation(pair, at),
      ...this.#parameters(parametersOf(had, pair.had, this.#before), parametersOf(has, pair.has, this.#after), at),
    ])
  }

  #operation({ had, has }: Objects, at: string): string[] {
    const isNew = Object.keys(objectOf(has.responses)).filter((status) => !(status in objectOf(had.responses)))
    // Clients can handle unknown errors, but would misread an unknown kind of success.
    const successes = isNew.filter((status) => !/^[45]|^default$/.test(status))
    return [
      ...(had.operationId === has.operationId
        ? []
        : [`${at}: operationId was ${had.operationId}, is ${has.operationId}`]),
      ...this.#security(had, has, at),
      ...this.#body(had.requestBody, has.requestBody, at),
      ...successes.map((status) => `${at}: response ${status}: new`),
      ...this.#members(had.responses, has.responses, (status) => `${at}: response ${status}`, this.#answer),
    ]
  }

  readonly #answer = ({ had, has }: Objects, at: string): string[] => [
    ...this.#members(had.headers, has.headers, (name) => `${at}: header ${name}`, this.#header),
    ...this.#members(
      had.content,
      has.content,
      (type) => `${at}: ${type}`,
      (pair, media) => this.#response.compare(pair.had.schema, pair.has.schema, `${media}: $`),
    ),
  ]

  readonly #header = ({ had, has }: Objects, at: string): string[] => [
    ...(had.required === true && has.required !== true ? [`${at}: may now be absent`] : []),
    ...this.#response.compare(had.schema, has.schema, at),
  ]

  #body(before: Json | undefined, after: Json | undefined, at: string): string[] {
    const [had, has] = [this.#before.object(before), this.#after.object(after)]
    if (before !== undefined && after === undefined) return [`${at}: body: removed`]
    return [
      ...(has.required === true && had.required !== true ? [`${at}: body: now required`] : []),
      ...this.#members(
        had.content,
        has.content,
        (type) => `${at}: body: ${type}`,
        (pair, media) => this.#request.compare(pair.had.schema, pair.has.schema, `${media}: $`),
      ),
    ]
  }

  #parameters(before: JsonObject, after: JsonObject, at: string): string[] {
    const isNeeded = ([name, parameter]: [string, Json]) => !(name in before) && objectOf(parameter).required === true
    const added = Object.entries(after).filter(isNeeded)
    return [
      ...added.map(([name]) => `${at}: ${name}: now required`),
      ...this.#members(
        before,
        after,
        (name) => `${at}: ${name}`,
        ({ had, has }, place) => [
          ...(has.required === true && had.required !== true ? [`${place}: now required`] : []),
          ...unweighed
            .filter((key) => had[key] !== has[key])
            .map((key) => `${place}: ${key} was ${had[key]}, is ${has[key]}`),
          ...this.#request.compare(had.schema, has.schema, place),
        ],
      ),
    ]
  }

  /** Credentials that sufficed must still suffice: no alternative may need more schemes or scopes than before. */
  #security(before: JsonObject, after: JsonObject, at: string): string[] {
    const [had, has] = [securityOf(before, this.#before), securityOf(after, this.#after)]
    const suffices = (set: JsonObject) =>
      has.some((other) =>
        Object.entries(objectOf(other)).every(
          ([scheme, scopes]) => scheme in set && namesOf(scopes).every((scope) => namesOf(set[scheme]).includes(scope)),
        ),
      )
    const refused = had.map(objectOf).filter((set) => !suffices(set))
    return refused.map((set) => `${at}: security ${JSON.stringify(set)}: no longer suffices`)
  }
}

/** The alternative sets of security schemes of an operation; without any, one empty set. */
function securityOf(operation: JsonObject, document: OpenApiDocument): readonly Json[] {
  const sets = listOf(operation.security ?? document.root.security)
  return sets.length > 0 ? sets : [{}]
}

/** The parameters of an operation and its path, by location and name. */
function parametersOf(item: JsonObject, operation: JsonObject, document: OpenApiDocument): JsonObject {
  const parameters = [...listOf(item.parameters), ...listOf(operation.parameters)].map((it) => document.object(it))
  return Object.fromEntries(parameters.map((it) => [`${it.in} parameter ${it.name}`, it]))
}
