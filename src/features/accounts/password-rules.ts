import type { FieldError } from '../../engine/errors.ts'
import { passwordBounds } from '../base/bounds.ts'
import { textError } from '../base/input-rules.ts'

/** The names of an account, from which its password has to differ. */
type Names = { readonly username: string; readonly email: string }

/** How many characters of a password must be left without the username and the address of its account. */
const leastOwn = 4

let common: Promise<ReadonlySet<string>> | undefined

/** The most common passwords that are long enough, in lower case. They are only loaded once somebody sets a password. */
async function loadCommon(): Promise<ReadonlySet<string>> {
  const { dictionary } = await import('@zxcvbn-ts/language-common')
  return new Set(dictionary['passwords-common'].filter((text) => text.length >= passwordBounds.min))
}

/** Whether little is left of a password without the username, the address and the part of it before the `@`. */
function isMadeOf({ username, email }: Names, password: string): boolean {
  const names = [email, email.split('@')[0] ?? '', username].filter((name) => name !== '')
  const own = names.reduce((rest, name) => rest.replaceAll(name.toLowerCase(), ''), password)
  return [...own].length < leastOwn
}

/**
 * The error of a new password, if there is one: its length, whether it is among the most common ones, or is hardly more than the
 * username or the address (NIST SP 800-63B, section 3.1.1.2). The last two ignore case.
 */
export async function passwordError(field: string, password: string, names: Names): Promise<FieldError | undefined> {
  const error = textError(field, password, passwordBounds)
  if (error) return error
  common ??= loadCommon()
  const compared = password.normalize().toLowerCase()
  if ((await common).has(compared)) return { field, message: 'is one of the most common passwords' }
  if (isMadeOf(names, compared)) return { field, message: 'must differ more from the username and the e-mail address' }
  return undefined
}
