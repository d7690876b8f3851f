import type { Viewer } from '../../engine/auth/viewers.ts'
import type { PayloadRead } from '../../engine/data/backend.ts'
import type { Client } from '../../engine/data/client.ts'
import type { Access } from '../../engine/data/database.ts'
import type { PublicationAudience } from '../../engine/data/generated/prisma/enums.ts'
import { clientUuid, newId } from '../../engine/data/ids.ts'
import { reportUnknownOutcome } from '../../engine/data/write-outcome.ts'
import { forbidden, invalid, notFound, Refusal } from '../../engine/errors.ts'
import { contentBounds, warningBounds } from '../base/bounds.ts'
import { type Entities, entitiesIn } from '../base/entities.ts'
import { callFor, callOf } from '../base/function-calls.ts'
import { orEmpty, refuseInvalid, textError } from '../base/input-rules.ts'
import type { Condition } from '../base/payload.ts'
import { isPermitted, type Permission, requirePermission } from '../base/permissions.ts'
import { vectorOf } from '../base/words.ts'
import { type LimitsOfAccount, withinLimits } from '../limits/limits.ts'
import { deleteLocked, type LockedPublication, lockWithReferences } from './deletion.ts'

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
  /** By default that of the parent, but no wider than what the author's account is for. */
  readonly audience?: PublicationAudience | null | undefined
  /** By default none, which an empty text also stands for. */
  readonly warning?: string | null | undefined
  /** A canonical tag. By default that of the author; `und` stands for none. */
  readonly language?: string | null | undefined
  /** What it quotes. */
  readonly quote?: string | null | undefined
  /** Whether others may quote it: by default they may. */
  readonly quotable?: boolean | null | undefined
}

/** The form of a warning that is sent. */
export const warningForm = orEmpty(warningBounds)

/** Changes to a publication. Fields that are null or missing stay unchanged, and an empty warning and the language `und` are removed. */
export type Edit = Condition & {
  readonly content?: string | null | undefined
  readonly locked?: boolean | null | undefined
  readonly warning?: string | null | undefined
  readonly language?: string | null | undefined
  readonly quotable?: boolean | null | undefined
}

/**
 * Sends a post or a reply and returns its id. One statement inserts it and changes the counters of its parent and of what it quotes.
 * Nothing changes if the author has sent the same under the same `uuid` before.
 * Throws `VALIDATION_FAILED`, also for an audience wider than that of the parent, `FORBIDDEN` for another application's `from`,
 * `NOT_FOUND` or `POST_LOCKED` for the parent, `NOT_FOUND` or `FORBIDDEN` for what it quotes, and `CONFLICT` for a taken `uuid`.
 */
export async function sendPublication(
  access: Access,
  viewer: Pick<Viewer, 'id' | 'applicationId'>,
  publication: NewPublication,
  id = publication.uuid ?? newId(),
  payload?: PayloadRead,
  limits?: LimitsOfAccount,
): Promise<string> {
  const { id: authorId, applicationId } = viewer
  const { uuid, content, locked, parent, from, audience, warning, language, quote, quotable } = publication
  refuseInvalid(
    textError('content', content, contentBounds),
    textError('warning', warning, warningForm),
    textError('uuid', uuid, clientUuid),
  )
  if (from != null && from !== applicationId) {
    throw forbidden('OTHER_APPLICATION', 'from can only name the application of the token.')
  }
  const entities = entitiesIn(content)
  const mentions = limits && entities ? await countStrangers(access, authorId, entities) : 0
  return withinLimits(limits, { publications: 1, mentions }, async (refusal) => {
    const row = await callFor(access, viewer, `read publication ${id}`, {
      ...callOf('send_publication', {
        publication: id,
        parent: parent ?? null,
        author: authorId,
        application: applicationId,
        new_content: content,
        new_locked: locked ?? false,
        new_audience: audience ?? null,
        new_warning: warning || null,
        new_language: language ?? null,
        quoted: quote ?? null,
        new_quotable: quotable ?? true,
        limited: refusal !== undefined,
        words: vectorOf(content, entities),
        entities: jsonOf(entities),
      }),
      lockKey: lockKeyOf(publication, id, entities),
      payload,
    })
    const outcome = row?.outcome
    if (outcome === 'sent' || outcome === 'sent_before') return { value: id, isNew: outcome === 'sent' }
    if (outcome === 'limited' && refusal) throw refusal
    if (outcome === 'taken') {
      throw new Refusal('CONFLICT', 'This uuid is taken.', { errors: [{ field: 'uuid', message: 'is taken' }] })
    }
    if (outcome === 'wider') throw invalid({ field: 'audience', message: 'must not be wider than that of the parent' })
    if (outcome === 'not_for_everybody')
      throw forbidden('NOT_FOR_EVERYBODY', 'Only a publication that is for everybody can be quoted.')
    if (outcome === 'not_quotable')
      throw forbidden('NOT_QUOTABLE', 'The author does not allow quotes of this publication.')
    if (outcome === 'quote_not_found') throw notFound('quoted publication')
    throw outcome === 'locked'
      ? new Refusal('POST_LOCKED', 'The author has locked this publication: only they can reply to it.')
      : notFound('publication')
  })
}

/**
 * How many accounts a text mentions that do not follow its author. Those that `publication` mentions already do not count. They are no more
 * than a text may mention.
 */
async function countStrangers(
  { write: { prisma } }: Access,
  author: string,
  entities: Entities,
  publication: string | null = null,
): Promise<number> {
  if (entities.mentions.length === 0) return 0
  const [found] = await prisma.$queryRaw<{ readonly strangers: number }[]>`
    select count(distinct m.user_id)::int as strangers from users_mentioned(${author}::uuid, ${JSON.stringify(entities)}) m
    where m.user_id <> ${author}::uuid
      and not exists (select from follows f where f.follower_id = m.user_id and f.followee_id = ${author}::uuid)
      and not exists (select from mentions k where k.publication_id = ${publication}::uuid and k.user_id = m.user_id)`
  return found?.strangers ?? 0
}

/** Detaches a quote from one of the viewer's publications: what quoted it keeps its text. Throws `NOT_FOUND` if it does not quote one. */
export async function detachQuote(access: Access, viewer: Viewer, uuid: string, payload?: PayloadRead): Promise<void> {
  const call = callOf('detach_quote', { publication: uuid, viewer: viewer.id })
  const row = await callFor(access, viewer, `read publication ${uuid}`, { ...call, lockKey: undefined, payload })
  if (row?.outcome !== 'detached') throw new Refusal('NOT_FOUND', 'This publication does not quote one of yours.')
}

const jsonOf = (entities: Entities | undefined) => (entities ? JSON.stringify(entities) : null)

/**
 * A reply locks its parent, and a quote what it quotes. With a `uuid` of the client it may also wait for another one with the same,
 * which is a second lock, as are hashtags.
 */
function lockKeyOf({ uuid, parent, quote }: NewPublication, id: string, entities: Entities | undefined) {
  if (entities && entities.hashtags.length > 0) return undefined
  const locked = [parent, quote].filter((it) => it != null)
  if (locked.length === 0) return id
  return uuid == null && locked.length === 1 ? locked[0] : undefined
}

/**
 * Edits one of the viewer's publications. Each edit has a later time than the one before, so that times tell edits apart.
 * Throws `VALIDATION_FAILED`, `NOT_FOUND`, `INSUFFICIENT_SCOPE`, `FORBIDDEN` or `PRECONDITION_FAILED`.
 */
export async function editPublication(
  access: Access,
  viewer: Viewer,
  id: string,
  { content = null, locked = null, warning = null, language = null, quotable = null, ifUnchangedSince }: Edit,
  permission: Permission,
  payload?: PayloadRead,
  limits?: LimitsOfAccount,
): Promise<void> {
  refuseInvalid(
    [content, locked, warning, language, quotable].every((it) => it === null)
      ? { field: 'content', message: 'is required unless the request changes something else' }
      : undefined,
    textError('content', content, contentBounds),
    textError('warning', warning, warningForm),
  )
  const { write } = access
  const entities = content === null ? undefined : entitiesIn(content)
  const mentions = limits && entities ? await countStrangers(access, viewer.id, entities, id) : 0
  return withinLimits(limits, { mentions }, async (refusal) => {
    if (refusal) throw refusal
    const [row] = await reportUnknownOutcome(`read publication ${id}`, () =>
      write.run({
        ...callOf('edit_publication', {
          publication: id,
          viewer: viewer.id,
          new_content: content,
          new_locked: locked,
          new_warning: warning,
          new_language: language,
          new_quotable: quotable,
          posts: isPermitted(viewer, permission, 'post'),
          replies: isPermitted(viewer, permission, 'reply'),
          since: ifUnchangedSince?.getTime() ?? null,
          words: content === null ? null : vectorOf(content, entities),
          entities: jsonOf(entities),
        }),
        // Another content may have other hashtags than before, which are locked, too.
        lockKey: content === null ? id : undefined,
        payload,
      }),
    )
    const outcome = row?.outcome
    if (outcome === 'edited') return { value: undefined, isNew: true }
    if (outcome === 'post' || outcome === 'reply') requirePermission(viewer, permission, outcome)
    if (outcome === 'changed') throw await wasChanged(write.prisma, id)
    throw outcome === 'forbidden' ? notTheAuthor() : notFound('publication')
  })
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
  if (!row || (!isOwn && (await isHidden(client, viewer.id, row.id)))) throw notFound('publication')
  requirePermission(viewer, permission, row.parent_id === null ? 'post' : 'reply')
  if (!isOwn) throw notTheAuthor()
  return row
}

/** Whether a publication is hidden from the viewer. */
async function isHidden(client: Client, viewerId: string, id: string): Promise<boolean> {
  const rows = await client.$queryRaw<unknown[]>`
    select from publications p where p.id = ${id}::uuid and (
      exists (select from hidden_from(${viewerId}::uuid, p.author_id))
      or exists (select from readable(${viewerId}::uuid, p.author_id, p.audience, p.circle_id, p.parent_author_id) r where not r))`
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
    const [found] = await lockWithReferences(transaction, [id])
    const row = await requireOwn(transaction, found, viewer, permission)
    if (ifUnchangedSince != null && row.changed_at > ifUnchangedSince.getTime()) throw await wasChanged(transaction, id)
    const before = await snapshot(transaction)
    await deleteLocked(transaction, [id])
    return before
  }
  return reportUnknownOutcome(`read publication ${id}: not found means deleted`, () => write.limitedTransaction(work))
}
