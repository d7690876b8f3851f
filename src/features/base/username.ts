import type { TextForm } from '../../engine/text/text-form.ts'

const [min, max] = [1, 30]
const pattern = new RegExp(`^[A-Za-z0-9_]{${min},${max}}$`)
const words = `${min} to ${max} characters of A-Z, a-z, 0-9 and _`

/** For how many days a former username stays reserved, if the account takes no other one meanwhile. */
export const usernameKeptDays = 90

/** After how many days an account may change its username again. */
export const renameDays = 7

/** The username, in lower case, in a text that names an account with or without `@`. Undefined if no account can have it. */
export function usernameIn(text: string): string | undefined {
  const name = text.replace(/^@/, '')
  return pattern.test(name) ? name.toLowerCase() : undefined
}

/** A new username. */
export const usernameBounds: TextForm = {
  min,
  max,
  pattern,
  words,
  fault: (username) => (pattern.test(username) ? undefined : `must have ${words}`),
}
