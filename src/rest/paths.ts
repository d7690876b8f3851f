import type { Variables } from './route.ts'

/** What the paths of the interface are relative to. */
export const basePath = '/api/v1'

/** A UUID in its usual form, in either case. Without a flag, so that it can be told to others as it is. */
export const uuidFormat = /^[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$/

/** A username as a path has it. */
export const usernameFormat = /^@[A-Za-z0-9_]{1,30}$/

/**
 * The parameters of path templates: what variables each sets, or nothing when the segment is none of its kind. A
 * `{user}` is a uuid or `@username`. A `{page}` sets none: a bad one is refused later, and differently.
 */
const parameters: Readonly<Record<string, (segment: string) => Variables | undefined>> = {
  '{uuid}': (segment) => (uuidFormat.test(segment) ? { uuid: segment } : undefined),
  '{user}': (segment) => {
    if (usernameFormat.test(segment)) return { user: { username: segment.slice(1) } }
    return uuidFormat.test(segment) ? { user: { uuid: segment }, uuid: segment } : undefined
  },
  '{page}': () => ({}),
}

/** A path template, taken apart at its slashes. Its literals are compared, its parameters are parsed. */
export type Template = readonly string[]

/** Takes a template such as `/post/{uuid}` apart. Throws when a parameter is unknown. */
export function parseTemplate(path: string): Template {
  const template = path.slice(1).split('/')
  const unknown = template.find((part) => part.startsWith('{') && parameters[part] === undefined)
  if (unknown !== undefined) throw new Error(`${path}: there is no path parameter ${unknown}`)
  return template
}

/** The decoded segments of a path as sent, one trailing slash aside; nothing when it can't be decoded. */
export function parsePath(path: string): readonly string[] | undefined {
  const segments = path.slice(1, path.endsWith('/') ? -1 : undefined).split('/')
  try {
    return segments.map((segment) => decodeURIComponent(segment))
  } catch {
    return undefined
  }
}

/** Whether a path has the length and the literals of a template, whatever its parameters are. */
export function resembles(template: Template, segments: readonly string[]): boolean {
  return (
    template.length === segments.length &&
    template.every((part, index) => part === segments[index] || parameters[part] !== undefined)
  )
}

/** The variables that the parameters of a path set; nothing when one of them is malformed. */
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
