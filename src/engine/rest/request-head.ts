import type { FastifyInstance } from 'fastify'
import type { Viewer } from '../auth/viewers.ts'
import { requireViewer } from '../execution/request-context.ts'
import { readQuery } from '../http/url.ts'
import type { RestInterface } from './interface.ts'
import { type PathValues, pathVariables } from './paths.ts'
import type { Variables } from './variables.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What the path names, such as `post`. */
    finds?: string
  }
  interface FastifyRequest {
    /** The head of a REST request, but for OPTIONS. */
    head: RequestHead
  }
}

/** What the head of a REST request says: its token, its query and its path. */
export type RequestHead = {
  readonly viewer: Viewer
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
    const { finds } = routeOptions.config
    const parameters: PathValues = Object(params)
    const readPath = () => (finds ? pathVariables(rest, parameters, finds) : {})
    if (method === 'OPTIONS') readPath()
    else request.head = { query: readQuery(raw), viewer: requireViewer(request), parameters, variables: readPath() }
    done()
  })
}
