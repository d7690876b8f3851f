import type { Endpoint } from './endpoint.ts'
import type { Operation } from './operation.ts'
import { parseTemplate, resembles, type Template } from './paths.ts'
import type { ApiVersion } from './versions.ts'

/** The endpoints of one path. */
export type Resource = {
  readonly template: Template
  readonly version: ApiVersion
  /** What its path names. */
  readonly finds: string
  /** By method; GET stands for HEAD as well. */
  readonly endpoints: ReadonlyMap<string, Endpoint>
  /** The value of the `Allow` header (RFC 9110, section 10.2.1). */
  readonly allow: string
}

const findsByTag = { Posts: 'post', Users: 'user', Replies: 'reply' } as const satisfies Record<
  Operation['tag'],
  string
>

/** Groups the operations by path. */
export function groupByPath(
  operations: readonly Operation[],
  prepare: (operation: Operation) => Endpoint,
): readonly Resource[] {
  const resources = new Map<string, Resource>()
  for (const operation of operations) {
    const { path, version, method, tag } = operation
    const { endpoints = [] } = resources.get(path) ?? {}
    const methods = new Map([...endpoints, [method, prepare(operation)]])
    const allow = [...methods.keys(), 'OPTIONS'].join(', ').replace('GET', 'GET, HEAD')
    resources.set(path, { template: parseTemplate(path), version, finds: findsByTag[tag], endpoints: methods, allow })
  }
  return [...resources.values()]
}

/** The resource whose template matches a path. Parameters may be malformed. */
export function findResource(resources: readonly Resource[], segments: readonly string[]): Resource | undefined {
  return resources.find(({ template }) => resembles(template, segments))
}
