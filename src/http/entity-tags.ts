import { Refusal } from '../errors.ts'

/** The value of `If-Match` or `If-None-Match`: `*` or entity tags as they were sent. */
export type EntityTags = '*' | readonly string[]

/** An entity tag (RFC 9110, section 8.8.3) with what separates it from the next one. Lists may have empty elements (section 5.6.1.2). */
const element = /[ \t]*(?:((?:W\/)?"[\x21\x23-\x7e\x80-\xff]*")[ \t]*)?(?:,|$)/y

/** Parses the value of a header. Undefined without one. Throws `BAD_REQUEST` if it is malformed. */
export function readEntityTags(header: string, value: string | undefined): EntityTags | undefined {
  if (value === undefined) return undefined
  if (value.trim() === '*') return '*'
  const tags: string[] = []
  element.lastIndex = 0
  while (element.lastIndex < value.length) {
    const found = element.exec(value)
    if (!found) throw malformed(header)
    if (found[1] !== undefined) tags.push(found[1])
  }
  if (tags.length === 0) throw malformed(header)
  return tags
}

function malformed(header: string): Refusal {
  return new Refusal('BAD_REQUEST', `${header} must be * or a list of entity tags in double quotes.`)
}

/** Whether one of the tags is this strong one, by the weak comparison that `If-None-Match` requires (RFC 9110, section 13.1.2). */
export function matchesWeakly(tags: EntityTags, tag: string): boolean {
  return tags === '*' || tags.some((each) => each === tag || each === `W/${tag}`)
}
