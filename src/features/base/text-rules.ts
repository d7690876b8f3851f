import { type FieldError, invalid } from '../../engine/errors.ts'
import type { Bounds } from '../../engine/text/characters.ts'
import { nameBounds } from './bounds.ts'

/** The C0 control characters that no text may contain, for messages. Each takes up to six bytes in JSON. */
export const refusedCharacters = 'control characters other than tab and line breaks'

/** What no name may contain, for messages: it would be on several lines, or the text beside it in another order. */
export const refusedInNames = 'line breaks, control characters or bidirectional controls'

const refusedInName = /[\p{Zl}\p{Zp}\p{Cc}\p{Bidi_Control}]/u

const refusedCharacter = /[^\t\n\r\u{20}-\u{10ffff}]/u

/** Unicode's invisible characters, and two blank symbols that it does not count among them. */
const blank = /^[\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cc}\u{2800}\u{1d159}]*$/u

/** Whether nothing of a text shows. */
export function isBlank(text: string): boolean {
  return blank.test(text)
}

/**
 * The error of a text, if there is one and it is invalid. PostgreSQL stores neither lone surrogates nor NUL, which is one of the refused
 * characters. A text with a minimum length must not be blank.
 */
export function textError(
  field: string,
  text: string | null | undefined,
  { min, max }: Bounds,
): FieldError | undefined {
  if (text == null) return undefined
  if (!text.isWellFormed()) return { field, message: 'must not contain a lone surrogate' }
  if (refusedCharacter.test(text)) return { field, message: `must not contain ${refusedCharacters}` }
  if (min > 0 && isBlank(text)) return { field, message: 'must not be blank' }
  // A code point has at most two UTF-16 units, so a longer text need not be counted.
  const length = text.length > 2 * max ? Number.POSITIVE_INFINITY : [...text].length
  if (length < min || length > max)
    return { field, message: `must have ${min > 0 ? `${min} to` : 'at most'} ${max} characters` }
  return undefined
}

/** The error of the name of a user, a token or an application, if there is one and it is invalid. */
export function nameError(field: string, name: string | null | undefined): FieldError | undefined {
  if (name != null && refusedInName.test(name)) return { field, message: `must not contain ${refusedInNames}` }
  return textError(field, name, nameBounds)
}

/** Throws `VALIDATION_FAILED` with all errors, if there are any. */
export function refuseInvalid(...found: (FieldError | undefined)[]): void {
  const [error, ...others] = found.filter((it) => it !== undefined)
  if (error) throw invalid(error, ...others)
}
