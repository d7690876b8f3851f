import type { IncomingHttpHeaders } from 'node:http'
import { Refusal } from '../errors.ts'
import { type EntityTags, readEntityTags, tagsOfAnyEncoding } from '../http/entity-tags.ts'
import { beforeAnyEdit, type TaggedResource, unchangedSince } from './tagged-resource.ts'

/** The conditions on the state of a resource under which a request is done (RFC 9110, section 13.1). */
export type Preconditions = {
  readonly ifMatch: EntityTags | undefined
  /** The end of the second of `If-Unmodified-Since`. */
  readonly ifUnmodifiedSince: Date | undefined
  readonly ifNoneMatch: EntityTags | undefined
}

/** Reads the preconditions of a request, in their order (section 13.2.2). Throws `BAD_REQUEST` for malformed tags; other dates are none. */
export function preconditionsIn(headers: IncomingHttpHeaders): Preconditions {
  const ifMatch = readEntityTags('If-Match', headers['if-match'])
  const time = ifMatch ? Number.NaN : Date.parse(headers['if-unmodified-since'] ?? '')
  return {
    ifMatch,
    ifUnmodifiedSince: Number.isNaN(time) ? undefined : new Date(time + 999),
    ifNoneMatch: readEntityTags('If-None-Match', headers['if-none-match']),
  }
}

/** The time after which an edit of the resource with this uuid makes a write fail; undefined if none does. */
export function editLimit({ ifMatch, ifUnmodifiedSince }: Preconditions, isExcluded: boolean, uuid: string) {
  if (isExcluded) return beforeAnyEdit
  return ifMatch ? unchangedSince(ifMatch, uuid) : ifUnmodifiedSince
}

/** Throws `PRECONDITION_FAILED` unless what was read, with its tag if it has one, meets `If-Match` or `If-Unmodified-Since`. */
export function requireState(
  { ifMatch, ifUnmodifiedSince }: Preconditions,
  tag: string | undefined,
  resource: TaggedResource | null | undefined,
): void {
  const { createdAt, editedAt } = resource ?? {}
  const edit = editedAt ?? createdAt
  if (ifMatch && ifMatch !== '*' && !(tag && tagsOfAnyEncoding(ifMatch).includes(tag)))
    throw new Refusal('PRECONDITION_FAILED', 'It does not have an entity tag of If-Match.')
  if (edit && ifUnmodifiedSince && new Date(edit) > ifUnmodifiedSince)
    throw new Refusal('PRECONDITION_FAILED', 'It was edited after If-Unmodified-Since.')
}
