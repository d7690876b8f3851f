import type { IncomingHttpHeaders } from 'node:http'
import { Refusal } from '../errors.ts'
import { type Encoding, encodings } from './compression.ts'

/** The value of `If-Match` or `If-None-Match`: `*` or entity tags as they were sent. */
export type EntityTags = '*' | readonly string[]

/** An entity tag (RFC 9110, section 8.8.3). */
const tag = /(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"/g

/** `*` or a list of entity tags, which may have empty elements (section 5.6.1.2). Without flags, so that OpenAPI can use the pattern. */
export const entityTagList = new RegExp(
  `^[ \\t]*(?:\\*|(?:,[ \\t]*)*${tag.source}(?:[ \\t]*,(?:[ \\t]*${tag.source})?)*)[ \\t]*$`,
)

/** Parses the value of a header. Undefined without one. Throws `BAD_REQUEST` if it is malformed. */
export function readEntityTags(header: string, value: string | undefined): EntityTags | undefined {
  if (value === undefined) return undefined
  if (!entityTagList.test(value))
    throw new Refusal('BAD_REQUEST', `${header} must be * or a list of entity tags in double quotes.`)
  return value.trim() === '*' ? '*' : (value.match(tag) ?? [])
}

/** The tag of a response that is encoded (RFC 9110, section 8.8.3.3). Other tags end with no name of an encoding. */
export const tagOfEncoding = (tag: string, encoding: Encoding): string =>
  encoding === 'identity' ? tag : tag.replace(/"$/, `.${encoding}"`)

const ofEncoding = new RegExp(`\\.(?:${encodings.join('|')})"$`)

/** The tags without the encodings of their responses: a write concerns all of them. */
export const tagsOfAnyEncoding = (tags: EntityTags): EntityTags =>
  tags === '*' ? tags : tags.map((tag) => tag.replace(ofEncoding, '"'))

/** Whether one of the tags is this strong one, by the weak comparison that `If-None-Match` requires (RFC 9110, section 13.1.2). */
export function matchesWeakly(tags: EntityTags, tag: string): boolean {
  return tags === '*' || tags.some((each) => each === tag || each === `W/${tag}`)
}

/** Throws `PRECONDITION_FAILED` for `If-Match` where nothing has an entity tag. */
export function refuseTags(headers: IncomingHttpHeaders): void {
  if (headers['if-match'] !== undefined)
    throw new Refusal('PRECONDITION_FAILED', 'Nothing that has an entity tag is at this path: send no If-Match.')
}
