import { type FieldError, invalid } from '../errors.ts'

/** How long a text may be, in Unicode code points. */
export type Bounds = { readonly min: number; readonly max: number }

/**
 * What is wrong with a text, if anything. Postgres stores no NUL and no lone surrogate, and a text that has to have something in it
 * has more than white space.
 */
export function textError(field: string, text: string, { min, max }: Bounds): FieldError | undefined {
  if (!text.isWellFormed()) return { field, message: 'must not contain a lone surrogate' }
  if (text.includes('\0')) return { field, message: 'must not contain a NUL character' }
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
