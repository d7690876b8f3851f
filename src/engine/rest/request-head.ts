import type { FastifyInstance } from 'fastify'
import { notFound } from '../errors.ts'
import { requireViewer } from '../execution/request-context.ts'
import { readQuery } from '../http/url.ts'
import { isUuid } from '../text/uuids.ts'
import type { RestInterface } from './operation.ts'
import type { Variables } from './variables.ts'

/** The decoded parameters of a path, by their names. `page` is the number of a page of its list. */
type PathValues = Readonly<Record<string, string>> & { readonly page?: string }

/** The path of a template such as `/post/{uuid}`. */
export function pathOf(template: string, values: PathValues): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURI(values[name] ?? '').replace('#', '%23'))
}

/** The variables that the parameters of a path set. Throws `NOT_FOUND` for a malformed one, unless it is the page. */
function pathVariables(
  { parameters }: Pick<RestInterface, 'parameters'>,
  values: PathValues,
  resourceName: string,
): Variables {
  const all = Object.entries(values).map(([name, value]) => parameters[name]?.variables(value, resourceName))
  return Object.assign({}, ...all)
}

/** A uuid in a path. Throws `NOT_FOUND` for a malformed one. */
export function uuidInPath(uuid: string, resourceName: string): Variables {
  if (isUuid(uuid)) return { uuid }
  throw notFound(resourceName, 'its id is malformed')
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What the path names, such as `post`. */
    resourceName?: string
    /** False for an operation that is open to everyone. */
    needsToken?: boolean
  }
  interface FastifyRequest {
    /** The head of a REST request, but for OPTIONS. */
    head: RequestHead
  }
}

/** What the head of a REST request says: its query and its path. */
export type RequestHead = {
  readonly query: URLSearchParams
  readonly parameters: PathValues
  /** The variables that the parameters of the path set. */
  readonly variables: Variables
}

/** Reads the heads of the requests of a scope. Refuses 400 of the query, 401 (neither for OPTIONS), and 404 of the path, in this order. */
export function addRequestHead(scope: FastifyInstance, rest: RestInterface): void {
  scope.decorateRequest('head')
  scope.addHook('onRequest', (request, _reply, done) => {
    const { method, raw, params, routeOptions } = request
    const { resourceName, needsToken = true } = routeOptions.config
    const parameters: PathValues = Object(params)
    const readPath = () => (resourceName ? pathVariables(rest, parameters, resourceName) : {})
    if (method === 'OPTIONS') readPath()
    else {
      const query = readQuery(raw)
      if (needsToken) requireViewer(request)
      request.head = { query, parameters, variables: readPath() }
    }
    done()
  })
}
