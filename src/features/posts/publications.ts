import type { Viewer } from '../../engine/auth/viewers.ts'
import type { Client } from '../../engine/data/client.ts'
import { clientUuidError } from '../../engine/data/client-uuid.ts'
import type { Access } from '../../engine/data/database.ts'
import { newId } from '../../engine/data/new-id.ts'
import { reportUnknownOutcome } from '../../engine/data/write-outcome.ts'
import { forbidden, notFound, Refusal } from '../../engine/errors.ts'
import { contentBounds } from '../base/bounds.ts'
import type { Condition } from '../base/condition.ts'
import { type Entities, entitiesIn } from '../base/entities.ts'
import { callOf } from '../base/function-calls.ts'
import type { Permission } from '../base/permissions.ts'
import { isPermitted, requirePermission } from '../base/permissions.ts'
import { refuseInvalid, textError } from '../base/text-rules.ts'
import { vectorOf } from '../base/words.ts'
import { deleteLocked, type LockedPublication, lockWithParents } from './deletion.ts'

/**
 * A new post, or with a parent a new reply. `from` can only name the application of the token, which is also the default. With a `uuid`
 * of the client, it can be sent again.
 */
export type NewPublication = {
  readonly uuid?: string | null | undefined
  readonly content: string
  readonly locked?: boolean | null | undefined
  readonly parent?: string | null | undefined
  readonly from?: string | null | undefined
}

/** Changes to a publication. Fields that are null or missing stay unchanged. */
export type Edit = Condition & {
  readonly content?: string | null | undefined
  readonly locked?: boolean | null | undefined
}

/**
 * Sends a post or a reply and returns its id. One statement inserts a reply and changes the counter of its parent. Nothing changes if the
 * author has sent the same under the same `uuid` before.
 * Throws `VALIDATION_FAILED`, `FORBIDDEN` for another application's `from`, `NOT_FOUND` or `POST_LOCKED` for the parent, and `CONFLICT`
 * for a taken `uuid`.
 */
export async function sendPublication(
  { write }: Access,
  { id: authorId, applicationId }: Pick<Viewer, 'id' | 'applicationId'>,
  publication: NewPublication,
  id = publication.uuid ?? newId(),
): Promise<string> {
  const { uuid, content, locked, parent, from } = publication
  refuseInvalid(textError('content', content, contentBounds), clientUuidError('uuid', uuid))
  if (from != null && from !== applicationId) {
    throw forbidden('OTHER_APPLICATION', 'from can only name the application of the token.')
  }
  const entities = entitiesIn(content)
  const [row] = await reportUnknownOutcome(`read publication ${id}`, () =>
    write.run({
      ...callOf('send_publication', {
        publication: id,
        parent: parent ?? null,
        author: authorId,
        application: applicationId,
        new_content: content,
        new_locked: locked ?? false,
        words: vectorOf(content, entities),
        entities: jsonOf(entities),
      }),
      lockKey: lockKeyOf(publication, id, entities),
    }),
  )
  const outcome = row?.outcome
  if (outcome === 'sent') return id
  if (outcome === 'taken') {
    throw new Refusal('CONFLICT', 'This uuid is taken.', { errors: [{ field: 'uuid', message: 'is taken' }] })
  }
  throw outcome === 'locked'
    ? new Refusal('POST_LOCKED', 'The author has locked this publication: only they can reply to it.')
    : notFound('publication')
}

const jsonOf = (entities: Entities | undefined) => (entities ? JSON.stringify(entities) : null)

/** A reply locks its parent. With a `uuid` of the client it may also wait for another one with the same, which is a second lock, as are hashtags. */
function lockKeyOf({ uuid, parent }: NewPublication, id: string, entities: Entities | undefined): string | undefined {
  if (entities && entities.hashtags.length > 0) return undefined
  if (parent == null) return id
  return uuid == null ? parent : undefined
}

/**
 * Edits one of the viewer's publications. Each edit has a later time than the one before, so that times tell edits apart.
 * Throws `VALIDATION_FAILED`, `NOT_FOUND`, `INSUFFICIENT_SCOPE`, `FORBIDDEN` or `PRECONDITION_FAILED`.
 */
export async function editPublication(
  { write }: Access,
  viewer: Viewer,
  id: string,
  { content = null, locked = null, ifUnchangedSince }: Edit,
  permission: Permission,
): Promise<void> {
  refuseInvalid(
    content === null && locked === null
      ? { field: 'content', message: 'is required unless the request locks or unlocks the publication' }
      : undefined,
    textError('content', content, contentBounds),
  )
  const entities = content === null ? undefined : entitiesIn(content)
  const [row] = await reportUnknownOutcome(`read publication ${id}`, () =>
    write.run({
      ...callOf('edit_publication', {
        publication: id,
        viewer: viewer.id,
        new_content: content,
        new_locked: locked,
        posts: isPermitted(viewer, permission, 'post'),
        replies: isPermitted(viewer, permission, 'reply'),
        since: ifUnchangedSince?.getTime() ?? null,
        words: content === null ? null : vectorOf(content, entities),
        entities: jsonOf(entities),
      }),
      // Another content may have other hashtags than before, which are locked, too.
      lockKey: content === null ? id : undefined,
    }),
  )
  const outcome = row?.outcome
  if (outcome === 'edited') return
  if (outcome === 'post' || outcome === 'reply') requirePermission(viewer, permission, outcome)
  if (outcome === 'changed') throw await wasChanged(write.prisma, id)
  throw outcome === 'forbidden' ? notTheAuthor() : notFound('publication')
}

const notTheAuthor = () => forbidden('NOT_THE_AUTHOR', 'Only the author of a publication can change or delete it.')

/** The refusal of a write whose condition does not hold, with the state that the publication has since. */
async function wasChanged(client: Client, id: string): Promise<Refusal> {
  const found = await client.publication.findFirst({
    where: { id, deletedAt: null },
    select: { version: true, editedAt: true },
  })
  if (!found) return notFound('publication')
  const current = { version: String(found.version), editedAt: found.editedAt }
  return new Refusal('PRECONDITION_FAILED', 'It was edited since you read it. Read it again, then edit.', { current })
}

async function requireOwn(
  client: Client,
  row: LockedPublication | undefined,
  viewer: Viewer,
  permission: Permission,
): Promise<LockedPublication> {
  const isOwn = row?.author_id === viewer.id
  if (!row || (!isOwn && (await isHidden(client, viewer.id, row.author_id)))) throw notFound('publication')
  requirePermission(viewer, permission, row.parent_id === null ? 'post' : 'reply')
  if (!isOwn) throw notTheAuthor()
  return row
}

/** Whether an account is hidden from the viewer. */
async function isHidden(client: Client, viewerId: string, account: string | null): Promise<boolean> {
  const rows = await client.$queryRaw<unknown[]>`select from hidden_from(${viewerId}::uuid, ${account}::uuid)`
  return rows.length > 0
}

/**
 * Deletes one of the viewer's publications. Its row stays as a tombstone without content, so its replies keep their parent. Returns
 * what `snapshot` reads just before, in the same transaction and while the row is locked.
 * Throws `NOT_FOUND`, `INSUFFICIENT_SCOPE`, `FORBIDDEN` or `PRECONDITION_FAILED`.
 */
export function deletePublication<T>(
  { write }: Access,
  viewer: Viewer,
  id: string,
  { ifUnchangedSince }: Condition,
  permission: Permission,
  snapshot: (transaction: Client) => Promise<T>,
): Promise<T> {
  const work = async (transaction: Client) => {
    const [found] = await lockWithParents(transaction, [id])
    const row = await requireOwn(transaction, found, viewer, permission)
    if (ifUnchangedSince != null && row.changed_at > ifUnchangedSince.getTime()) throw await wasChanged(transaction, id)
    const before = await snapshot(transaction)
    await deleteLocked(transaction, [id])
    return before
  }
  return reportUnknownOutcome(`read publication ${id}: not found means deleted`, () => write.limitedTransaction(work))
}
