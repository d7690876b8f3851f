import { type FieldError, invalid } from '../errors.ts'

/** How long a text may be, in Unicode code points. */
export type Bounds = { readonly min: number; readonly max: number }

/** The C0 control characters that no text may contain, in words. They cost up to six bytes each in JSON. */
export const refusedCharacters = 'control characters other than tab and line breaks'

const refusedCharacter = /[^\t\n\r\u{20}-\u{10ffff}]/u

/**
 * What is wrong with a text, if anything. Postgres stores no lone surrogate and no NUL, which is one of the refused characters. A
 * text that has to have something in it has more than white space.
 */
export function textError(field: string, text: string, { min, max }: Bounds): FieldError | undefined {
  if (!text.isWellFormed()) return { field, message: 'must not contain a lone surrogate' }
  if (refusedCharacter.test(text)) return { field, message: `must not contain ${refusedCharacters}` }
  if (min > 0 && text.trim() === '') return { field, message: 'must not be blank' }
  // No text of more UTF-16 units than twice the bound can fit, however many code points it has.
  const length = text.length > 2 * max ? Number.POSITIVE_INFINITY : [...text].length
  if (length < min || length > max)
    return { field, message: `must have ${min > 0 ? `${min} to` : 'at most'} ${max} characters` }
  return undefined
}

/** Throws `VALIDATION_FAILED` with all that was found wrong; nothing found is fine. */
export function refuseInvalid(...found: (FieldError | undefined)[]): void {
  const [error, ...others] = found.filter((it) => it !== undefined)
  if (error) throw invalid(error, ...others)
}
