import type { FieldError } from '../../engine/errors.ts'

/** How many characters a username has, and which. */
export const usernameBounds = { min: 1, max: 30 } as const
export const usernameCharacters = 'A-Z, a-z, 0-9 and _'
const { min, max } = usernameBounds

/** The form of a username. Without flags, so that OpenAPI can use the pattern. */
export const usernameForm = new RegExp(`^[A-Za-z0-9_]{${min},${max}}$`)

/** The form in words. */
export const usernameRule = `${min} to ${max} characters of ${usernameCharacters}`

/** For how many days a former username stays reserved. */
export const usernameKeptDays = 90

/** After how many days an account may change its username again. */
export const renameDays = 7

/** The username, in lower case, in a text that names an account with or without `@`. Undefined if no account can have it. */
export function usernameIn(text: string): string | undefined {
  const name = text.replace(/^@/, '')
  return usernameForm.test(name) ? name.toLowerCase() : undefined
}

/** Usernames that could be mistaken for the service itself. */
const reserved = new Set(
  'about admin administrator api help me moderator root rookery security support system'.split(' '),
)

/** The error of a new username, if no account may have it. */
export function usernameError(username: string): FieldError | undefined {
  if (!usernameForm.test(username)) return { field: 'username', message: `must have ${usernameRule}` }
  if (reserved.has(username.toLowerCase())) return { field: 'username', message: 'is reserved' }
  return undefined
}
