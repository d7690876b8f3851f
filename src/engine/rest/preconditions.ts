import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyReply } from 'fastify'
import { Refusal } from '../errors.ts'
import type { PreparedOperation } from '../execution/prepared-operation.ts'
import { type EntityTags, matchesWeakly, readEntityTags, tagsOfAnyEncoding } from '../http/static-text.ts'
import type { Extent } from './graphql.ts'
import { type Asked, bodyOfResponse, type Operation } from './operation.ts'
import type { Run } from './run.ts'
import { beforeAnyEdit, entityTag, type TaggedResource, unchangedSince } from './tagged-resource.ts'
import type { Variables } from './variables.ts'

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
function editLimit({ ifMatch, ifUnmodifiedSince }: Preconditions, isExcluded: boolean, uuid: string) {
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

/** The GET of the path that a write changes, with its prepared document, and the view that the write asks for. */
type Resource = Operation & Extent & { readonly operation: PreparedOperation }

/** The preconditions of a write on what it changes. */
type WriteCondition = {
  /** `$ifUnchangedSince`, which the write itself compares, so that everything else that is wrong with it is found first. */
  readonly variables: Variables
  /** Whether `If-None-Match` excludes the current state. */
  readonly isExcluded: boolean
  /** The entity tag that what it changes has now. */
  readonly currentTag: () => Promise<{ readonly tag?: string | undefined; readonly refusal?: Refusal }>
}

/** The condition under which a write may change a resource. Throws the refusal of reading it. */
export async function conditionOfWrite(
  resource: Resource,
  preconditions: Preconditions,
  { viewer, variables }: Pick<Asked, 'viewer' | 'variables'>,
  run: Run,
): Promise<WriteCondition> {
  const { operation, tagged, isFull } = resource
  const currentTag: WriteCondition['currentTag'] = async () => {
    const { data, refusal } = await run(operation, variables)
    if (refusal) return { refusal }
    const asked = { viewer, variables, isFull }
    const bodyOf = () => JSON.stringify(bodyOfResponse(resource, data, asked))
    return { tag: tagged && entityTag(tagged, data, asked, bodyOf)?.tag }
  }
  const { ifNoneMatch } = preconditions
  const isExcluded = ifNoneMatch !== undefined && (await hasOneOf(ifNoneMatch, currentTag))
  const ifUnchangedSince = editLimit(preconditions, isExcluded, String(variables.uuid ?? viewer.id))
  return { variables: ifUnchangedSince ? { ifUnchangedSince } : {}, isExcluded, currentTag }
}

/** Whether a resource has one of these tags. An edit in between gives it a tag that no client has seen. */
async function hasOneOf(tags: EntityTags, currentTag: WriteCondition['currentTag']): Promise<boolean> {
  if (tags === '*') return true
  const { tag, refusal } = await currentTag()
  if (refusal) throw refusal
  return tag !== undefined && matchesWeakly(tagsOfAnyEncoding(tags), tag)
}

/** The refusal of a write, with the entity tag that its resource has now if that is the reason. */
export async function withCurrentTag(
  refusal: Refusal,
  { currentTag, isExcluded }: WriteCondition,
  reply: FastifyReply,
): Promise<Refusal> {
  if (refusal.code !== 'PRECONDITION_FAILED') return refusal
  const { tag } = await currentTag()
  if (tag !== undefined) reply.header('etag', tag)
  return isExcluded ? new Refusal(refusal.code, 'It has an entity tag that If-None-Match excludes.') : refusal
}
