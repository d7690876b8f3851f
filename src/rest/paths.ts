import type { Variables } from './variables.ts'

/** The prefix of all paths of the interface. */
export const basePath = '/api/v1'

/** A UUID in upper or lower case. Without flags, so that OpenAPI can use the pattern. */
export const uuidFormat = /^[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$/

/** A username in a path. */
export const usernameFormat = /^@[A-Za-z0-9_]{1,30}$/

/**
 * The parameters of path templates. Each parses a segment into variables, or undefined when it is malformed. A `{user}` is
 * a uuid or `@username`. A `{page}` sets no variable here, since an invalid one is refused later, with another error.
 */
const parameters: Readonly<Record<string, (segment: string) => Variables | undefined>> = {
  '{uuid}': (segment) => (uuidFormat.test(segment) ? { uuid: segment } : undefined),
  '{user}': (segment) => {
    if (usernameFormat.test(segment)) return { user: { username: segment.slice(1) } }
    return uuidFormat.test(segment) ? { user: { uuid: segment }, uuid: segment } : undefined
  },
  '{page}': () => ({}),
}

/** Whether the page number of an operation with pages is in its path, and not in its query. */
export function hasPageInPath({ path }: { readonly path: string }): boolean {
  return path.endsWith('/{page}')
}

/** The segments of a path template: literals and parameters. */
export type Template = readonly string[]

/** Parses a template such as `/post/{uuid}`. Throws for an unknown parameter. */
export function parseTemplate(path: string): Template {
  const template = path.slice(1).split('/')
  const unknown = template.find((part) => part.startsWith('{') && parameters[part] === undefined)
  if (unknown !== undefined) throw new Error(`${path}: there is no path parameter ${unknown}`)
  return template
}

/** The decoded segments of a path, without a trailing slash. Undefined when the path cannot be decoded. */
export function parsePath(path: string): readonly string[] | undefined {
  const segments = path.slice(1, path.endsWith('/') ? -1 : undefined).split('/')
  try {
    return segments.map((segment) => decodeURIComponent(segment))
  } catch {
    return undefined
  }
}

/** Whether a path matches the literals of a template. Its parameters may be malformed. */
export function resembles(template: Template, segments: readonly string[]): boolean {
  return (
    template.length === segments.length &&
    template.every((part, index) => part === segments[index] || parameters[part] !== undefined)
  )
}

/** The variables that the parameters of a path set. Undefined when one of them is malformed. */
export function pathVariables(template: Template, segments: readonly string[]): Variables | undefined {
  const variables = {}
  for (const [index, part] of template.entries()) {
    const parse = parameters[part]
    if (parse === undefined) continue
    const parsed = parse(segments[index] ?? '')
    if (parsed === undefined) return undefined
    Object.assign(variables, parsed)
  }
  return variables
}
