import { notFound } from '../errors.ts'
import type { RestInterface } from './interface.ts'
import type { Variables } from './variables.ts'

/** A UUID in upper or lower case. Without flags, so that OpenAPI can use the pattern. */
export const uuidFormat = /^[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$/

/** The decoded parameters of a path, by their names. `page` is the number of a page of its list. */
export type PathValues = Readonly<Record<string, string>> & { readonly page?: string }

/** The path of a template such as `/post/{uuid}`. */
export function pathOf(template: string, values: PathValues): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURI(values[name] ?? '').replace('#', '%23'))
}

/** The variables that the parameters of a path set. Throws `NOT_FOUND` for a malformed one, unless it is the page. */
export function pathVariables(
  { parameters }: Pick<RestInterface, 'parameters'>,
  values: PathValues,
  finds: string,
): Variables {
  const all = Object.entries(values).map(([name, value]) => parameters[name]?.variables(value, finds))
  return Object.assign({}, ...all)
}

/** A uuid in a path. Throws `NOT_FOUND` for a malformed one. */
export function uuidInPath(uuid: string, finds: string): Variables {
  if (uuidFormat.test(uuid)) return { uuid }
  throw notFound(finds, 'its id is malformed')
}
