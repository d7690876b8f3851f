import type { TextForm } from '../../engine/text/text-form.ts'

const [min, max] = [1, 30]
const pattern = new RegExp(`^[A-Za-z0-9_]{${min},${max}}$`)
const words = `${min} to ${max} characters of A-Z, a-z, 0-9 and _`

/** For how many days a former username stays reserved. */
export const usernameKeptDays = 90

/** After how many days an account may change its username again. */
export const renameDays = 7

/** The username, in lower case, in a text that names an account with or without `@`. Undefined if no account can have it. */
export function usernameIn(text: string): string | undefined {
  const name = text.replace(/^@/, '')
  return pattern.test(name) ? name.toLowerCase() : undefined
}

/** Usernames that could be mistaken for the service itself. */
const reserved = new Set(
  'about admin administrator api help me moderator root rookery security support system'.split(' '),
)

/** A new username. */
export const usernameBounds: TextForm = {
  min,
  max,
  pattern,
  words,
  fault: (username) => {
    if (!pattern.test(username)) return `must have ${words}`
    return reserved.has(username.toLowerCase()) ? 'is reserved' : undefined
  },
}
