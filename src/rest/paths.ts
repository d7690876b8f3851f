import { Refusal } from '../errors.ts'
import { longestHashtag } from '../text/entities.ts'
import { usernameForm } from '../text/username.ts'
import type { Variables } from './variables.ts'

/** A UUID in upper or lower case. Without flags, so that OpenAPI can use the pattern. */
export const uuidFormat = /^[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$/

/** A username in a path. */
export const usernameFormat = new RegExp(usernameForm.source.replace('^', '^@'))

/** The name of a hashtag in a path, before it is normalized. */
export const hashtagFormat = /^[^\s/]+$/
export const longestHashtagInPath = 4 * longestHashtag

/** The decoded parameters of a path: a uuid, that of a report, a user as a uuid or `@username`, the name of a hashtag, and the number of a page. */
export type PathParameters = {
  readonly uuid?: string
  readonly report?: string
  readonly user?: string
  readonly name?: string
  readonly page?: string
}

/** The path of a template such as `/post/{uuid}`. */
export function pathOf(template: string, parameters: PathParameters): string {
  const values = new Map(Object.entries(parameters))
  return template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURI(values.get(name) ?? '').replace('#', '%23'))
}

/** The variables that the parameters of a path set. Throws `NOT_FOUND` for a malformed one, unless it is the page. */
export function pathVariables({ uuid, report, user, name: hashtag }: PathParameters, finds: string): Variables {
  if (hashtag !== undefined) {
    if (hashtag.length <= longestHashtagInPath && hashtagFormat.test(hashtag)) return { name: hashtag }
    throw new Refusal('NOT_FOUND', 'There is no such hashtag: its name is malformed.')
  }
  if (user !== undefined && usernameFormat.test(user)) return { user: { username: user } }
  const id = uuid ?? report ?? user
  if (id === undefined) return {}
  if (uuidFormat.test(id)) return user === undefined ? { uuid: id } : { user: { uuid: user }, uuid: user }
  const name = `@${user}`
  const hint = user !== undefined && usernameFormat.test(name) ? ` Did you mean ${name}?` : ''
  throw new Refusal('NOT_FOUND', `There is no such ${finds}: its id is malformed.${hint}`)
}
