type Json = Readonly<Record<string, unknown>>

/** What an OpenAPI document tells clients. */
export type OpenApiFacts = {
  /** What clients rely on: if one disappears, the change breaks them. */
  readonly promises: ReadonlySet<string>
  /** What clients have to satisfy or handle, each with the promise that it restricts: a new one for an old promise breaks them. */
  readonly demands: ReadonlyMap<string, string>
}

const methods = ['get', 'put', 'post', 'delete', 'patch']
const limits = /^(min|max|exclusiveM|multipleOf|pattern|format|additionalProperties)/

/** The changes between two OpenAPI documents that break clients. Descriptions, examples and the forms of errors are ignored. */
export function breakingOpenApiChanges(before: Json, after: Json): string[] {
  const [had, has] = [openApiFacts(before), openApiFacts(after)]
  return [
    ...[...had.promises].filter((it) => !has.promises.has(it)).map((it) => `no longer: ${it}`),
    ...[...has.demands].filter(([it, of]) => !had.demands.has(it) && had.promises.has(of)).map(([it]) => `new: ${it}`),
  ]
}

/** Collects the facts of a document without external references. */
export function openApiFacts(document: Json): OpenApiFacts {
  const promises = new Set<string>()
  const demands = new Map<string, string>()
  const promise = (of: string, what: string) => promises.add(of + what)
  const demand = (of: string, what: string) => demands.set(of + what, of)

  /** The object that a value is or refers to, otherwise an empty object. */
  const objectOf = (value: unknown): Json => {
    const data: Json = typeof value === 'object' && value !== null ? { ...value } : {}
    if (typeof data.$ref !== 'string') return data
    const names = data.$ref.split('/').slice(1)
    return objectOf(names.reduce<unknown>((inner, name) => objectOf(inner)[name], document))
  }
  const listOf = (value: unknown) => (Array.isArray(value) ? value : []).map(objectOf)
  const entriesOf = (value: unknown) => Object.entries(objectOf(value))

  const addSchema = (value: unknown, at: string, isRequest: boolean): void => {
    promises.add(at)
    const schema = objectOf(value)
    const { type, enum: values = schema.const === undefined ? type : [schema.const], items, required } = schema
    const [addKind, addLimit] = isRequest ? [promise, demand] : [demand, promise]
    for (const kind of [values ?? []].flat()) addKind(at, ` may be ${JSON.stringify(kind)}`)
    for (const name of [required ?? []].flat()) addLimit(at, ` has ${name}`)
    for (const [name, limit] of Object.entries(schema))
      if (limits.test(name)) addLimit(at, `: ${name} ${JSON.stringify(limit)}`)
    for (const part of [schema.anyOf, schema.oneOf, schema.allOf].flatMap(listOf)) addSchema(part, at, isRequest)
    for (const [name, property] of entriesOf(schema.properties)) addSchema(property, `${at}.${name}`, isRequest)
    if (items !== undefined) addSchema(items, `${at}[]`, isRequest)
  }
  const addContent = (content: unknown, at: string, isRequest: boolean) => {
    for (const [type, media] of entriesOf(content)) {
      promise(at, ` as ${type}`)
      addSchema(objectOf(media).schema, at, isRequest)
    }
  }

  for (const [path, item] of entriesOf(document.paths)) {
    for (const [method, operation] of entriesOf(item).filter(([name]) => methods.includes(name))) {
      const at = `${method.toUpperCase()} ${path}`
      const { operationId, parameters, requestBody, responses, security } = objectOf(operation)
      promises.add(at)
      promise(at, ` is ${operationId}`)
      for (const scheme of listOf(security)) promise(at, ` with ${JSON.stringify(scheme)}`)
      for (const parameter of [...listOf(objectOf(item).parameters), ...listOf(parameters)]) {
        const name = ` ${parameter.in} ${parameter.name}`
        if (parameter.required) demand(at, `${name} is required`)
        addSchema(parameter.schema, at + name, true)
      }
      if (objectOf(requestBody).required) demand(at, ' body is required')
      addContent(objectOf(requestBody).content, `${at} body`, true)
      for (const [status, response] of entriesOf(responses)) {
        promise(at, ` ${status}`)
        // Clients can handle unknown errors, but would misread an unknown kind of success.
        if (!/^2/.test(status)) continue
        demand(at, ` ${status}`)
        for (const [name] of entriesOf(objectOf(response).headers)) promise(at, ` ${status} header ${name}`)
        addContent(objectOf(response).content, `${at} ${status}`, false)
      }
    }
  }
  return { promises, demands }
}
