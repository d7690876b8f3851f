import { hash } from 'node:crypto'
import { type EntityTags, tagsOfAnyEncoding } from '../http/static-text.ts'
import { latestTime } from '../schema/scalars.ts'
import type { Extent } from './graphql.ts'

/** A resource that has an entity tag, and if it can be written, the times that `If-Match` compares. */
export type TaggedResource = {
  /** Of what can be written. */
  readonly uuid?: string
  readonly createdAt?: Date | string
  readonly editedAt?: Date | string | null
}

/** The resource in a result, whose entity tag the response has. */
export type Tagged<Data, Resource extends TaggedResource> = {
  readonly resource: (data: Data) => Resource | null | undefined
  /** What reading the resource responds with, where the operation responds with something else. */
  readonly read?: { object(resource: Resource, extent: Extent): unknown }
  /** Whether a result may have no tag. */
  readonly isOptional?: true
}

/** An entity tag before it is encoded, and the length in bytes of what it stands for. */
type EntityTag = { readonly tag: string; readonly length: number }

/** The length of a digest: 96 bits in base64url. */
const digestLength = 16

/**
 * The strong entity tag of a result for a viewer. Undefined if it has none. It has a digest of the body of reading the resource.
 * That of what can be written begins with its uuid and the time of its last edit, which are all that `If-Match` of a write
 * compares: a like does not make an edit fail.
 */
export function entityTag<Data>(
  tagged: Tagged<Data, TaggedResource>,
  data: Data,
  { viewer, isFull }: Extent & { readonly viewer: { readonly id: string } },
  bodyOf: () => string,
): EntityTag | undefined {
  const resource = tagged.resource(data)
  if (!resource) return undefined
  const body = tagged.read ? JSON.stringify(tagged.read.object(resource, { isFull })) : bodyOf()
  const digest = hash('sha256', viewer.id + body, 'base64url').slice(0, digestLength)
  const { uuid, createdAt, editedAt } = resource
  const edit = createdAt && `${uuid}.${new Date(editedAt ?? createdAt).getTime().toString(36)}-`
  return { tag: `"${edit ?? ''}${digest}"`, length: Buffer.byteLength(body) }
}

const tagOfEdit = /^"([0-9a-f-]{36})\.([0-9a-z]{1,10})-[\w-]{16}"$/

/**
 * One of the tags matches only if the resource was not edited after this time. The comparison is strong, as `If-Match` requires
 * (RFC 9110, section 13.1.1). Each edit has a later time than the one before, so only the latest of several tags can match. If no tag
 * names this resource, the time is before any edit. Undefined for `*`.
 */
export function unchangedSince(tags: EntityTags, uuid: string): Date | undefined {
  const ofResource = tagsOfAnyEncoding(tags)
  if (ofResource === '*') return undefined
  const times = ofResource.map((tag) => {
    const [, named, time = ''] = tagOfEdit.exec(tag) ?? []
    return named === uuid.toLowerCase() ? Number.parseInt(time, 36) : 0
  })
  return new Date(Math.min(Math.max(...times), latestTime))
}

/** A time before every edit, so that the condition fails. */
export const beforeAnyEdit = new Date(0)
