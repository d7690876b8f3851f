import type { User } from '../documents.ts'
import { element } from '../dom.ts'
import { drawFace } from '../picture.ts'
import { drawLock } from './audience.ts'

const list = new Intl.ListFormat('en')

/** Draws the names of some of the accounts that did something, and how many others there are. */
export function drawNames(actors: readonly { readonly username: string }[], count: number): (Node | string)[] {
  if (actors.length === 0) return []
  const others = count - actors.length
  const names = actors.map(({ username }) => `@${username}`)
  if (others > 0) names.push(others === 1 ? '1 other' : `${others} others`)
  const parts = list.formatToParts(names)
  return [
    ...parts.map(({ value }) => (value.startsWith('@') ? element('a', { href: `#/${value}` }, value) : value)),
    ' ',
  ]
}

/** What tells a user from others. */
export type NamedUser = Pick<User, 'uuid' | 'username' | 'displayName' | 'isPrivate'>

/** Draws the picture and the names of a user. */
export function drawIdentity(user: NamedUser): readonly (Node | string)[] {
  const name = element('bdi', {}, element('b', {}, user.displayName))
  return [drawFace(user.uuid), name, drawLock(user), element('span', { className: 'handle' }, ` @${user.username}`)]
}
