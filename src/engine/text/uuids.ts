import type { TextForm } from './text-form.ts'

const hex = '[0-9A-Fa-f]'

/** A UUID in upper or lower case. Without flags, like all these patterns, so that OpenAPI can use it. */
export const uuidPattern = new RegExp(`^${hex}{8}(?:-${hex}{4}){3}-${hex}{12}$`)

/** A UUID of version 7 (RFC 9562, section 5.7) in upper or lower case. */
export const version7 = new RegExp(`^${hex}{8}-${hex}{4}-7${hex}{3}-[89ABab]${hex}{3}-${hex}{12}$`)

/** Such a pattern for UUIDs in lower case, as responses have them. */
export const inLowerCase = (pattern: RegExp): RegExp => new RegExp(pattern.source.replaceAll(/A-F|AB/g, ''))

/** Whether a text is a UUID in its usual form, in upper or lower case. */
export const isUuid = (text: string): boolean => uuidPattern.test(text)

/** A UUID that is sent, in either case. */
export const uuidForm: TextForm = { min: 36, max: 36, pattern: uuidPattern, format: 'uuid', words: 'a UUID' }
