import type { Client } from '../../engine/data/client.ts'
import type { Access } from '../../engine/data/database.ts'
import type { ModerationAct } from '../../engine/data/generated/prisma/client.ts'
import { newId } from '../../engine/data/ids.ts'
import { type ListPart, type ListRequest, partAfter, partOf } from '../../engine/data/list-part.ts'
import { reportUnknownOutcome } from '../../engine/data/write-outcome.ts'
import { invalid, notFound, Refusal } from '../../engine/errors.ts'
import { hostOf } from '../applications/clients.ts'
import { webClient } from '../applications/oauth/web-client.ts'
import { reasonBounds, warningBounds } from '../base/bounds.ts'
import { refuseInvalid, textError } from '../base/input-rules.ts'
import { deleteLocked, lockWithReferences } from '../posts/deletion.ts'
import { type Actor, accountsFor, changeAccount, idOf, logActs, type ModerationEntry } from './acts.ts'

/** The most characters of a host and its port. */
export const longestHost = 260

/** Makes an account a moderator, or ends that, and returns whether it changed anything. Its tokens lose the scope at once. */
export function setModerator(database: Access, uuid: string, moderates: boolean): Promise<boolean> {
  const action = moderates ? 'USER_PROMOTED' : 'USER_DEMOTED'
  const change = { column: 'moderatorSince', isSet: moderates, action } as const
  return changeAccount(database, 'operator', { uuid }, change, async (transaction) => {
    if (moderates) return
    await transaction.$executeRaw`
      update access_tokens set scopes = array_remove(scopes, 'moderation.manage') where user_id = ${uuid}::uuid`
    await transaction.$executeRaw`
      update oauth_grants set scopes = array_remove(scopes, 'moderation.manage') where user_id = ${uuid}::uuid`
  })
}

/**
 * Deletes publications of any author, all or none, as their authors could. Returns what `snapshot` reads just before, in the same
 * transaction. Throws `VALIDATION_FAILED`, `FORBIDDEN`, and `NOT_FOUND` if one of them does not exist or was deleted.
 */
export function removePublications<T>(
  { write }: Access,
  actor: Actor,
  { uuids, reason = null }: Omit<ModerationEntry, 'uuid'> & { readonly uuids: readonly string[] },
  snapshot: (transaction: Client) => Promise<T>,
): Promise<T> {
  refuseInvalid(textError('reason', reason, reasonBounds))
  const wanted = [...new Set(uuids)]
  const action = 'PUBLICATION_REMOVED' as const
  const work = async (transaction: Client) => {
    const live = await lockWithReferences(transaction, wanted)
    if (live.length < wanted.length) throw notFound('publication')
    const authorIds = live.flatMap(({ author_id }) => author_id ?? [])
    const authors = await accountsFor(transaction, actor, authorIds)
    const before = await snapshot(transaction)
    await deleteLocked(transaction, wanted)
    const acts = live.flatMap(({ id: subjectId, author_id }) => {
      const author = authors.find(({ id }) => id === author_id)
      return author ? { action, subjectId, userId: author.id, username: author.username, reason } : []
    })
    await logActs(transaction, actor, acts)
    return before
  }
  return reportUnknownOutcome('read the moderation log', () => write.limitedTransaction(work))
}

/**
 * Gives a publication of any author a warning, in place of the one that it may have, as its author could, and returns whether that changed
 * anything. Throws `VALIDATION_FAILED`, `NOT_FOUND` and `FORBIDDEN`.
 */
export function addWarning(
  { write }: Access,
  actor: Actor,
  { uuid: id, warning, reason = null }: ModerationEntry & { readonly warning: string },
): Promise<boolean> {
  refuseInvalid(textError('warning', warning, warningBounds), textError('reason', reason, reasonBounds))
  const work = async (transaction: Client) => {
    const [live] = await lockWithReferences(transaction, [id])
    const [author] = live?.author_id ? await accountsFor(transaction, actor, [live.author_id]) : []
    if (!author) throw notFound('publication')
    const changed = await transaction.$executeRaw`
      update publications p
      set warning = ${warning}, edited_at = greatest(now(), coalesce(p.edited_at, p.created_at) + interval '1 millisecond')
      where p.id = ${id}::uuid and p.warning is distinct from ${warning}`
    if (changed === 0) return false
    const { id: userId, username } = author
    await transaction.$executeRaw`
      insert into changes (kind, actor_id, publication_id, recipient_id)
      values ('NOTIFIED', ${userId}::uuid, ${id}::uuid, ${userId}::uuid)`
    await logActs(transaction, actor, [{ action: 'PUBLICATION_WARNED', subjectId: id, userId, username, reason }])
    return true
  }
  return reportUnknownOutcome('read the moderation log', () => write.limitedTransaction(work))
}

/** An application: by its uuid, or all whose metadata documents are on a host. */
type ApplicationBy = { readonly uuid: string } | { readonly host: string }

/** What is refused, and how the log names it. Throws `VALIDATION_FAILED`, `NOT_FOUND`, and `FORBIDDEN` for applications of moderators. */
async function clientFor(transaction: Client, actor: Actor, by: ApplicationBy) {
  if ('host' in by) {
    const host = hostOf(`https://${by.host}`)
    // Without a dot, it is rather a mistyped UUID.
    if (host === undefined || !/\.|^localhost\b/.test(host) || /[/?#@\\]/.test(by.host) || host.length > longestHost)
      throw invalid({ field: 'host', message: 'must be the name of a host' })
    return { client: host, name: host, subjectId: undefined, owner: undefined }
  }
  const found = await transaction.application.findUnique({ where: { id: by.uuid } })
  if (!found) throw notFound('application')
  if (found.clientId === webClient.id)
    throw invalid({ field: 'uuid', message: 'must not be the application of this server itself' })
  const [owner] = await accountsFor(transaction, actor, found.ownerId ? [found.ownerId] : [])
  return { client: found.id, name: found.name, subjectId: found.id, owner }
}

/**
 * Refuses an application, or all of a host, or ends that, and returns whether it changed anything. One that is refused can neither
 * connect nor get tokens, and those that it has do not work. Throws `VALIDATION_FAILED`, `NOT_FOUND` and `FORBIDDEN`.
 */
export function setRefused(
  { write: { prisma } }: Access,
  actor: Actor,
  { by, reason = null }: { readonly by: ApplicationBy; readonly reason?: string | null | undefined },
  refused: boolean,
): Promise<boolean> {
  refuseInvalid(textError('reason', reason, reasonBounds))
  const work = async (transaction: Client) => {
    const { client, name, subjectId, owner } = await clientFor(transaction, actor, by)
    const [row] = refused
      ? await transaction.$queryRaw<{ id: string }[]>`
          insert into refused_clients (id, client) values (${newId()}::uuid, ${client}) on conflict do nothing returning id::text`
      : await transaction.$queryRaw<
          { id: string }[]
        >`delete from refused_clients where client = ${client} returning id::text`
    if (!row) return false
    const action = refused ? 'APPLICATION_REFUSED' : 'APPLICATION_READMITTED'
    const { id: userId = null, username = null } = owner ?? {}
    await logActs(transaction, actor, [
      { action, subjectId: subjectId ?? row.id, userId, username, client: name, reason },
    ])
    return true
  }
  return reportUnknownOutcome('read the moderation log', () => prisma.$transaction(work))
}

/**
 * Closes a report with a note. Throws `VALIDATION_FAILED`, `NOT_FOUND`, `FORBIDDEN` for reports about moderators, and `CONFLICT` if it is
 * already closed.
 */
export function closeReport(
  { write: { prisma } }: Access,
  actor: Actor,
  { uuid: id, reason: note = null }: ModerationEntry,
): Promise<void> {
  refuseInvalid(textError('note', note, reasonBounds))
  const work = async (transaction: Client) => {
    const [report] = await transaction.$queryRaw<{ user_id: string; username: string; is_open: boolean }[]>`
      select user_id, username, state = 'OPEN' as is_open from reports where id = ${id}::uuid for no key update`
    if (!report) throw notFound('report')
    await accountsFor(transaction, actor, [report.user_id])
    if (!report.is_open) throw new Refusal('CONFLICT', 'This report is already closed.')
    const data = { state: 'CLOSED', closedAt: new Date(), closedBy: idOf(actor), note } as const
    await transaction.report.update({ where: { id }, data, select: { id: true } })
    const { user_id: userId, username } = report
    await logActs(transaction, actor, [{ action: 'REPORT_CLOSED', subjectId: id, userId, username, reason: note }])
  }
  return reportUnknownOutcome('read the report', () => prisma.$transaction(work))
}

/** Lists the moderation log, for the operator. */
export async function listModerationLog(
  { write: { prisma } }: Access,
  request: ListRequest,
): Promise<ListPart<Omit<ModerationAct, 'noticeKey'>>> {
  return partOf(await prisma.moderationAct.findMany({ ...partAfter(request), omit: { noticeKey: true } }), request)
}
