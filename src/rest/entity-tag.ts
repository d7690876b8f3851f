import { hash } from 'node:crypto'
import type { Session } from '../domain/sessions.ts'
import { type EntityTags, tagsOfAnyEncoding } from '../http/entity-tags.ts'
import type { Avatar } from '../reads/reads.ts'
import { latestTime } from '../schema/scalars.ts'
import { version as release } from '../version.ts'

/** A resource with the versions of all rows that its representation is made of. */
export type TaggedResource = {
  readonly uuid: string
  readonly version: string
  readonly createdAt?: Date | string
  readonly editedAt?: Date | string | null
}

/** The form of a representation. Two representations of the same resource in the same form have the same tag. */
type TaggedForm = 'post' | 'reply' | 'user'

/** What tells the entity tag of a result. */
export type Tagged<Data> = {
  readonly form: TaggedForm
  readonly resource: (data: Data) => TaggedResource | null | undefined
  /** Whether a result may have none. */
  readonly isOptional?: true
}

/** What decides the representation: rows with their versions, flags of the viewer, and badges, which have no version. */
const taggedKeys = new Set(['uuid', 'version', 'viewerHasLiked', 'viewerIsFollowing', 'id', 'name'])
const taggedOnly = (key: string, value: unknown) =>
  typeof value === 'object' || taggedKeys.has(key) ? value : undefined

/** The length of a digest: 96 bits in base64url. */
const digestLength = 16

/**
 * The strong entity tag of a result, before it is encoded. Undefined if it has none. That of a publication begins with its uuid and the
 * time of its last edit, which are all that `If-Match` compares: a like does not make an edit fail.
 */
export function entityTag<Data>(
  tagged: Tagged<Data> | undefined,
  data: Data,
  session: Session,
  avatar: Avatar,
): string | undefined {
  const resource = tagged?.resource(data)
  if (!tagged || !resource) return undefined
  const readsEmail = session.scopes.has('user.email')
  const context = JSON.stringify([release, tagged.form, session.viewerId, readsEmail, avatar])
  const digest = hash('sha256', context + JSON.stringify(resource, taggedOnly), 'base64url').slice(0, digestLength)
  const { uuid, createdAt, editedAt } = resource
  if (createdAt === undefined) return `"${digest}"`
  return `"${uuid}.${new Date(editedAt ?? createdAt).getTime().toString(36)}-${digest}"`
}

const publicationTag = /^"([0-9a-f-]{36})\.([0-9a-z]{1,10})-[\w-]{16}"$/

/**
 * One of the tags matches only if the publication was not edited after this time. The comparison is strong, as `If-Match` requires
 * (RFC 9110, section 13.1.1). Each edit has a later time than the one before, so only the latest of several tags can match. If no tag
 * names this publication, the time is before any edit. Undefined for `*`.
 */
export function unchangedSince(tags: EntityTags, uuid: string): Date | undefined {
  const ofResource = tagsOfAnyEncoding(tags)
  if (ofResource === '*') return undefined
  const times = ofResource.map((tag) => {
    const [, named, time = ''] = publicationTag.exec(tag) ?? []
    return named === uuid.toLowerCase() ? Number.parseInt(time, 36) : 0
  })
  return new Date(Math.min(Math.max(...times), latestTime))
}

/** A time before every edit, so that the condition fails. */
export const beforeAnyEdit = new Date(0)
