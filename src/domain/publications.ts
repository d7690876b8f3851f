import { v7 as newId } from 'uuid'
import type { Client } from '../data/client.ts'
import type { Database } from '../data/database.ts'
import { notFound, Refusal } from '../errors.ts'
import { type Access, mayUse, requireKind } from './access.ts'
import type { Session } from './sessions.ts'
import { refuseInvalid, textError } from './text.ts'
import { writing } from './writing.ts'

/** How long the content of a publication is, in code points (interface, section 8). */
export const contentBounds = { min: 1, max: 500 } as const

/** A new publication: with a parent a reply. `from` may name the token's own application, as it would be without it. */
export type NewPublication = {
  readonly content: string
  readonly locked?: boolean | null | undefined
  readonly parent?: string | null | undefined
  readonly from?: string | null | undefined
}

/** What changes of a publication; what is null or missing stays. */
export type Edit = { readonly content?: string | null | undefined; readonly locked?: boolean | null | undefined }

/**
 * Sends a post or a reply and answers its id. A reply and its parent's counter change in one statement, so it is never half there.
 * Throws `VALIDATION_FAILED`, `FORBIDDEN` for another application's `from`, `NOT_FOUND` or `POST_LOCKED` for the parent.
 */
export async function sendPublication(client: Client, session: Session, sent: NewPublication): Promise<string> {
  const { viewerId, applicationId } = session
  refuseInvalid(textError('content', sent.content, contentBounds))
  if (sent.from != null && sent.from !== applicationId) {
    throw new Refusal('FORBIDDEN', 'A publication is from the application of its token, and from no other.')
  }
  const id = newId()
  const locked = sent.locked ?? false
  if (sent.parent == null) {
    const data = { id, authorId: viewerId, applicationId, content: sent.content, locked }
    await writing(`read publication ${id}`, () => client.publication.create({ data, select: { id: true } }))
    return id
  }
  const inserted = await writing(
    `read publication ${id}`,
    () => client.$executeRaw`
      with parent as (
        update publications set reply_count = reply_count + 1
        where id = ${sent.parent}::uuid and deleted_at is null and (not locked or author_id = ${viewerId}::uuid)
        returning id)
      insert into publications (id, parent_id, author_id, application_id, content, locked)
      select ${id}::uuid, parent.id, ${viewerId}::uuid, ${applicationId}::uuid, ${sent.content}, ${locked} from parent`,
  )
  if (inserted === 0) throw await whyNoReply(client, sent.parent)
  return id
}

async function whyNoReply(client: Client, parentId: string): Promise<Refusal> {
  const parent = await client.publication.findFirst({ where: { id: parentId, deletedAt: null }, select: { id: true } })
  return parent
    ? new Refusal('POST_LOCKED', 'Its author has locked it: it takes no new replies.')
    : notFound('publication')
}

/** Changes a publication of the viewer's. Throws `VALIDATION_FAILED`, `NOT_FOUND`, `INSUFFICIENT_SCOPE` or `FORBIDDEN`. */
export async function editPublication(client: Client, session: Session, id: string, edit: Edit, access: Access) {
  const { content = null, locked = null } = edit
  refuseInvalid(
    content === null && locked === null ? { field: 'content', message: 'or the lock has to be given' } : undefined,
    content === null ? undefined : textError('content', content, contentBounds),
  )
  const edited = await writing(
    `read publication ${id}`,
    () => client.$executeRaw`
      update publications
      set content = coalesce(${content}, content), locked = coalesce(${locked}::boolean, locked), edited_at = now()
      where id = ${id}::uuid and deleted_at is null and author_id = ${session.viewerId}::uuid
        and case when parent_id is null then ${mayUse(access, 'post')}::boolean else ${mayUse(access, 'reply')}::boolean end`,
  )
  if (edited > 0) return
  const [row] = await client.$queryRaw<Row[]>`
    select author_id, parent_id from publications where id = ${id}::uuid and deleted_at is null`
  requireOwn(row, session, access)
  throw notFound('publication')
}

type Row = { readonly author_id: string; readonly parent_id: string | null }

function requireOwn(row: Row | undefined, { viewerId }: Session, access: Access): asserts row is Row {
  if (!row) throw notFound('publication')
  requireKind(access, row.parent_id === null ? 'post' : 'reply')
  if (row.author_id !== viewerId) throw new Refusal('FORBIDDEN', 'Only its author may do this.')
}

/**
 * Deletes a publication of the viewer's: its row stays as a tombstone without content, so its replies keep their parent. Answers
 * what `snapshot` reads just before, in the same transaction and under the row's lock.
 * Throws `NOT_FOUND`, `INSUFFICIENT_SCOPE` or `FORBIDDEN`.
 */
export function deletePublication<T>(
  { write }: Database,
  session: Session,
  id: string,
  access: Access,
  snapshot: (transaction: Client) => Promise<T>,
): Promise<T> {
  const work = async (transaction: Client) => {
    const [row] = await transaction.$queryRaw<Row[]>`
      select author_id, parent_id from publications where id = ${id}::uuid and deleted_at is null for no key update`
    requireOwn(row, session, access)
    const before = await snapshot(transaction)
    await transaction.$executeRaw`
      update publications set content = '', like_count = 0, deleted_at = now() where id = ${id}::uuid`
    await transaction.$executeRaw`delete from likes where publication_id = ${id}::uuid`
    await transaction.$executeRaw`
      update publications set reply_count = reply_count - 1 where id = ${row.parent_id}::uuid`
    return before
  }
  return writing(`read publication ${id}: not found means deleted`, () => write.$transaction(work))
}
