import { ids } from '../networks/small-network.ts'

/** A body that is refused, and the fields that the response names. */
export type BadBody = { readonly body: unknown; readonly fields: readonly string[] }

/** Bodies with one of these values in a field, beside the valid fields of `more`. */
export const bad = (field: string, values: readonly unknown[], more: object): BadBody[] =>
  values.map((value) => ({ body: { ...more, [field]: value }, fields: [field] }))

const contents = [5, true, {}, ['a'], '', ' \n\t', 'a\0b', 'a\u001bb', '\ud800', 'a'.repeat(501), '😀'.repeat(501)]

/** Bodies with an invalid `content` beside the valid fields of `more`. JSON escapes the lone surrogate. */
export const badContents = (more: object = {}) => bad('content', contents, more)

/** Bodies with a non-boolean in a field, beside the valid fields of `more`. */
export const badFlags = (field: string, more: object = {}) => bad(field, ['true', 1, 0, []], more)

/** Bodies with an invalid UUID in a field, beside the valid fields of `more`. */
export const badUuids = (field: string, more: object) =>
  bad(field, ['', 'nope', 5, { uuid: ids.adaPost }, `${ids.adaPost} `], more)

/** Bodies with an invalid `audience` beside the valid fields of `more`. */
export const badAudiences = (more: object) =>
  bad('audience', ['', 'friends', 'FOLLOWERS', 5, true, ['followers']], more)

/** Bodies with an invalid `warning` beside the valid fields of `more`. */
export const badWarnings = (more: object) =>
  bad('warning', [5, ['a'], ' ', '\u200b', 'a\0b', '\ud800', '😀'.repeat(201)], more)

/** Bodies with an invalid `language` beside the valid fields of `more`. */
export const badLanguages = (more: object) =>
  bad('language', [5, ['en'], '', 'english language', 'en_GB', 'e', `en-x-${'a'.repeat(40)}`], more)

/** Bodies that are JSON but not objects. */
export const notObjects: readonly BadBody[] = ['[]', '"text"', '5', 'null', 'true'].map((body) => ({
  body,
  fields: ['body'],
}))
