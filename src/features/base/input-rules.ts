import { type FieldError, invalid } from '../../engine/errors.ts'
import type { Bounds, TextForm } from '../../engine/text/text-form.ts'

/** Characters that a text must not have: in words, and for OpenAPI. */
type Refused = { readonly pattern: RegExp; readonly words: string; readonly inOpenApi: string }

/**
 * The C0 control characters, each of which takes up to six bytes in JSON. OpenAPI does not mention lone surrogates: interoperable JSON has
 * none (RFC 7493, section 2.1), and the patterns of many languages do not support them.
 */
const refusedInText: Refused = {
  pattern: /[^\t\n\r\u{20}-\u{10ffff}]/u,
  words: 'control characters other than tab and line breaks',
  inOpenApi: '\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f',
}

/** What would put a name on several lines, or the text beside it in another order. */
const refusedInName: Refused = {
  pattern: /[\p{Zl}\p{Zp}\p{Cc}\p{Bidi_Control}]/u,
  words: 'line breaks, control characters or bidirectional controls',
  inOpenApi: '\\x00-\\x1f\\x7f-\\x9f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069',
}

/** Unicode's invisible characters, and two blank symbols that it does not count among them. */
const blank = /^[\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cc}\u{2800}\u{1d159}]*$/u

/** Whether nothing of a text shows. */
export function isBlank(text: string): boolean {
  return blank.test(text)
}

/** A length in words. */
export const lengthOf = ({ min, max }: Bounds): string => `${min > 0 ? `${min} to` : 'at most'} ${max} characters`

/** A text with a minimum length must not be blank. PostgreSQL stores neither lone surrogates nor NUL, which is refused in every text. */
function formOf(bounds: Bounds, refused: Refused): TextForm {
  const { min, max } = bounds
  const [any, visible] = [`[^${refused.inOpenApi}]*`, `[^\\s${refused.inOpenApi}]`]
  return {
    ...bounds,
    pattern: new RegExp(min > 0 ? `^${any}${visible}${any}$` : `^${any}$`),
    words: `${lengthOf(bounds)}${min > 0 ? ', not blank,' : ''} without ${refused.words}`,
    fault: (text) => {
      if (!text.isWellFormed()) return 'must not contain a lone surrogate'
      if (refused.pattern.test(text)) return `must not contain ${refused.words}`
      if (min > 0 && isBlank(text)) return 'must not be blank'
      // A code point has at most two UTF-16 units, so a longer text need not be counted.
      const length = text.length > 2 * max ? Number.POSITIVE_INFINITY : [...text].length
      return length < min || length > max ? `must have ${lengthOf(bounds)}` : undefined
    },
  }
}

/** A text of these lengths in code points. */
export const textOf = (min: number, max: number): TextForm => formOf({ min, max }, refusedInText)

/** A name of these lengths, on one line. */
export const nameOf = (min: number, max: number): TextForm => formOf({ min, max }, refusedInName)

/** A text of this form, or an empty one, which stands for none. */
export const orEmpty = ({ max, pattern, words, fault }: TextForm): TextForm => ({
  min: 0,
  max,
  pattern: new RegExp(`${pattern.source}|^$`),
  words: `${words}, or empty`,
  fault: (text) => (text === '' ? undefined : fault?.(text)),
})

/** A text of the same lengths that is stored already, so that nothing checks it. */
export function stored({ min, max }: Bounds): TextForm {
  const { fault, ...form } = textOf(min, max)
  return { ...form, words: lengthOf(form) }
}

/** A text that is compared with a secret, so that nothing else is said of it. */
export const guessed: TextForm = { min: 0, max: 1_000, pattern: /^[\s\S]*$/, words: 'a text' }

/** The error of a text, if there is one and it does not have its form. */
export function textError(field: string, text: string | null | undefined, { fault }: TextForm): FieldError | undefined {
  const message = text == null ? undefined : fault?.(text)
  return message === undefined ? undefined : { field, message }
}

/** Throws `VALIDATION_FAILED` with all errors, if there are any. */
export function refuseInvalid(...found: (FieldError | undefined)[]): void {
  const [error, ...others] = found.filter((it) => it !== undefined)
  if (error) throw invalid(error, ...others)
}

/** Gives a field its form. That of an input is checked with its type, so that all errors come together. */
export const withForm = (form: TextForm) => ({ extensions: { form } })

/** Describes a field by its form, and gives it the form. */
export const formed = (what: string, form: TextForm, more = '') => ({
  description: `${what}: ${form.words}.${more && ` ${more}`}`,
  ...withForm(form),
})
