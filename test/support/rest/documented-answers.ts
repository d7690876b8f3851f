import {
  type DocumentedHeader,
  type DocumentedResponse,
  faultsOf,
  headerOf,
  type Operation,
  openapi,
  responseOf,
} from './openapi.ts'

/** A REST response and its request. Header names are in lower case. */
export type CalledAnswer = {
  readonly method: string
  readonly path: string
  readonly status: number | undefined
  readonly headers: ReadonlyMap<string, string>
  readonly body: string
}

/** Headers of HTTP itself and of responses to OPTIONS. */
const transport = [
  ...['content-type', 'content-length', 'content-encoding', 'vary'],
  ...['date', 'connection', 'keep-alive', 'transfer-encoding'],
]
const ofOptions = [
  'accept-patch',
  'accept-post',
  ...['access-control-allow-methods', 'access-control-allow-headers', 'access-control-max-age'],
]

const { responses } = openapi.components
const documentPath = /^\/api\/v1\/(?:openapi\.json|docs)\/?(?:\?|$)/

/** Throws if the OpenAPI document does not contain this response for the request. */
export function checkDocumented(answer: CalledAnswer): void {
  if (documentPath.test(answer.path)) return
  const faults = answerFaults(answer)
  if (faults.length > 0) {
    const { method, path, status } = answer
    throw new Error(
      `${method} ${path} answers ${status} otherwise than docs/openapi.json has it, which npm run schema writes: ${faults.join('; ')}`,
    )
  }
}

function answerFaults(answer: CalledAnswer): string[] {
  const { method, path, status, body } = answer
  // Only the introduction of the document describes OPTIONS and the refusal of other methods.
  if (method === 'OPTIONS' && status === 204) {
    return [...(body === '' ? [] : ['it has a body']), ...allowFaults(answer, [...transport, ...ofOptions])]
  }
  const isUndescribed = operationsAt(path) !== undefined && operationOf(answer) === undefined
  if (isUndescribed && status === 405) return allowFaults(answer, transport)
  const response = documentedResponse(answer)
  if (response === undefined) return ['there is no such status']
  return [...bodyFaults(answer, response), ...headerFaults(answer, response.headers, transport)]
}

function bodyFaults({ method, headers, body }: CalledAnswer, { content }: DocumentedResponse): string[] {
  // Without content, the response has no body, such as that of 304.
  if (Object.keys(content).length === 0) return body === '' ? [] : ['it has a body']
  const type = headers.get('content-type') ?? ''
  const schema = content[type]?.schema
  if (schema === undefined) return [`the type is ${type}`]
  if (method === 'HEAD') return body === '' ? [] : ['it has a body']
  if (type === 'application/jsonl') return linesOf(body).flatMap((line) => faultsOf(schema, line, 'line'))
  return faultsOf(schema, JSON.parse(body), 'body')
}

/** The values of JSON Lines. */
export const linesOf = (text: string): unknown[] => text.split(/(?<=\n)/).map((line) => JSON.parse(line))

function headerFaults({ headers }: CalledAnswer, described: DocumentedResponse['headers'], others: readonly string[]) {
  const documented = Object.entries(described).map(([name, it]) => [name.toLowerCase(), headerOf(it)] as const)
  const names = new Set([...documented.map(([name]) => name), ...others])
  const unknown = [...headers.keys()].filter((name) => !names.has(name)).map((name) => `${name} is not documented`)
  return [...unknown, ...documented.flatMap(([name, it]) => faultsOfHeader(name, headers.get(name), it))]
}

function faultsOfHeader(name: string, value: string | undefined, { required, schema }: DocumentedHeader): string[] {
  if (value === undefined) return required ? [`${name} is missing`] : []
  return faultsOf(schema, schema.type === 'integer' ? Number(value) : value, name)
}

/** Besides the common headers, `Allow` names the documented methods of the path, HEAD where there is GET, and OPTIONS. */
function allowFaults(answer: CalledAnswer, others: readonly string[]): string[] {
  const { path, headers } = answer
  const methods = Object.keys(operationsAt(path) ?? {}).map((method) => method.toUpperCase())
  const expected = [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].toSorted().join(', ')
  const allowed = headers.get('allow')?.split(', ').toSorted().join(', ')
  const faults = headerFaults(answer, responses.NotFound?.headers ?? {}, [...others, 'allow'])
  return allowed === expected ? faults : [...faults, `it allows ${allowed}, not ${expected}`]
}

/** The documented operation of a request. */
export function operationOf({ method, path }: Pick<CalledAnswer, 'method' | 'path'>): Operation | undefined {
  return operationsAt(path)?.[method === 'HEAD' ? 'get' : method.toLowerCase()]
}

function documentedResponse(answer: CalledAnswer): DocumentedResponse | undefined {
  const { status } = answer
  const operation = operationOf(answer)
  if (operation) {
    const response = operation.responses[String(status)]
    return response && responseOf(response)
  }
  // Refusals made before the method is checked are the same for all operations.
  if (status === 401) return responses.Unauthenticated
  if (status === 404) return responses.NotFound
  if (status === 500) return responses.Internal
  return status === 503 ? responses.Unavailable : undefined
}

function operationsAt(path: string): Readonly<Record<string, Operation>> | undefined {
  const [below = ''] = path.slice('/api/v1'.length).split('?', 1)
  const found = Object.entries(openapi.paths).find(([template]) =>
    // Lists also work without a page in their path, as the introduction of the document says.
    [template, template.replace('/{page}', '')].some((each) => matches(each, below.replace(/\/$/, ''))),
  )
  return found?.[1]
}

/** Whether an encoded path without a trailing slash is one of a template. */
function matches(template: string, path: string): boolean {
  const [parts, segments] = [template.split('/'), path.split('/').map(decoded)]
  return parts.length === segments.length && parts.every((part, at) => part.startsWith('{') || part === segments[at])
}

/** A decoded segment of a path. Undefined if it is not percent-encoded UTF-8. */
function decoded(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment)
  } catch {
    return undefined
  }
}
