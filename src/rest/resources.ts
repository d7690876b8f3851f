import type { Endpoint } from './endpoint.ts'
import { parseTemplate, resembles, type Template } from './paths.ts'
import type { ApiVersion, Route } from './route.ts'

/** The endpoints of one path. */
export type Resource = {
  readonly template: Template
  readonly version: ApiVersion
  /** By method; GET stands for HEAD as well. */
  readonly endpoints: ReadonlyMap<string, Endpoint>
  /** The value of the `Allow` header (RFC 9110, section 10.2.1). */
  readonly allow: string
}

/** Gathers the rows of the route table by path. */
export function gatherResources(routes: readonly Route[], prepare: (route: Route) => Endpoint): readonly Resource[] {
  const resources = new Map<string, Resource>()
  for (const route of routes) {
    const { path, version, method } = route
    const { endpoints = [] } = resources.get(path) ?? {}
    const methods = new Map([...endpoints, [method, prepare(route)]])
    const allow = [...methods.keys(), 'OPTIONS'].join(', ').replace('GET', 'GET, HEAD')
    resources.set(path, { template: parseTemplate(path), version, endpoints: methods, allow })
  }
  return [...resources.values()]
}

/** The resource that a path names by its literals, whatever its parameters are. */
export function findResource(resources: readonly Resource[], segments: readonly string[]): Resource | undefined {
  return resources.find(({ template }) => resembles(template, segments))
}
