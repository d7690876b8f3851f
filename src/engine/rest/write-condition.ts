import type { FastifyReply } from 'fastify'
import type { Viewer } from '../auth/viewers.ts'
import { Refusal } from '../errors.ts'
import type { PreparedOperation } from '../execution/prepared-operation.ts'
import { type EntityTags, matchesWeakly, tagsOfAnyEncoding } from '../http/entity-tags.ts'
import type { Definition } from './operation.ts'
import { editLimit, type Preconditions } from './preconditions.ts'
import type { Run } from './run.ts'
import { entityTag } from './tagged-resource.ts'
import type { Variables } from './variables.ts'

/** The GET of the path that a write changes, with its prepared document. */
type Resource = Definition & { readonly operation: PreparedOperation }

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
  { operation, tagged, response }: Resource,
  preconditions: Preconditions,
  { viewer, variables }: { readonly viewer: Viewer; readonly variables: Variables },
  run: Run,
): Promise<WriteCondition> {
  const currentTag: WriteCondition['currentTag'] = async () => {
    const { data, refusal } = await run(operation, variables)
    if (refusal) return { refusal }
    const bodyOf = () => JSON.stringify(response.body(data, viewer, variables))
    return { tag: tagged && entityTag(tagged, data, viewer.id, bodyOf)?.tag }
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
export async function explained(
  refusal: Refusal,
  { currentTag, isExcluded }: WriteCondition,
  reply: FastifyReply,
): Promise<Refusal> {
  if (refusal.code !== 'PRECONDITION_FAILED') return refusal
  const { tag } = await currentTag()
  if (tag !== undefined) reply.header('etag', tag)
  return isExcluded ? new Refusal(refusal.code, 'It has an entity tag that If-None-Match excludes.') : refusal
}
