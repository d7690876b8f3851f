import { hashToken, newToken, type Viewer } from '../../engine/auth/viewers.ts'
import type { Client } from '../../engine/data/client.ts'
import type { Access } from '../../engine/data/database.ts'
import { newId } from '../../engine/data/ids.ts'
import { type ListRequest, partAfter, partOf } from '../../engine/data/list-part.ts'
import { reportUnknownOutcome } from '../../engine/data/write-outcome.ts'
import { day } from '../../engine/day.ts'
import { forbidden, notFound, Refusal } from '../../engine/errors.ts'
import { holdAccount, writeAsOwner } from '../accounts/access-tokens.ts'
import type { Admission } from '../accounts/admission.ts'
import { invitationDays, maxInvitationUses } from '../base/bounds.ts'
import { refuseInvalid } from '../base/input-rules.ts'
import { type Actor, accountsFor, logActs } from '../moderation/acts.ts'

/** How many invitations an account may have that have not expired. */
export const maxInvitations = 100

/** How often an invitation can be used, by default once, and until when, by default for some days. */
type NewInvitation = { readonly maxUses?: number | null | undefined; readonly expiresAt?: Date | null | undefined }

/** The row of a new invitation, and its code, which is not stored. Throws `VALIDATION_FAILED`. */
function invitationOf({ maxUses, expiresAt }: NewInvitation, creatorId: string | null) {
  const uses = maxUses ?? 1
  const now = Date.now()
  const end = expiresAt?.getTime() ?? now + invitationDays.usual * day
  const isInRange = end > now && end <= now + invitationDays.max * day
  refuseInvalid(
    Number.isInteger(uses) && uses >= 1 && uses <= maxInvitationUses
      ? undefined
      : { field: 'maxUses', message: `must be 1 to ${maxInvitationUses}` },
    isInRange
      ? undefined
      : { field: 'expiresAt', message: `must be in the future, at most ${invitationDays.max} days ahead` },
  )
  const code = newToken()
  return { code, data: { id: newId(), hash: hashToken(code), creatorId, maxUses: uses, expiresAt: new Date(end) } }
}

/**
 * Creates an invitation of the viewer. Returns its id and its code. Throws `VALIDATION_FAILED`, `FORBIDDEN` where only moderators invite,
 * `CONFLICT` above the limit, and `UNAUTHENTICATED` if the token in use was revoked meanwhile.
 */
export async function createInvitation(
  access: Access,
  viewer: Viewer,
  { invitations }: Admission,
  wanted: NewInvitation,
): Promise<{ readonly id: string; readonly code: string }> {
  const { code, data } = invitationOf(wanted, viewer.id)
  return writeAsOwner(access, viewer, 'read the invitations of the viewer', async (transaction) => {
    const where = { id: viewer.id, moderatorSince: { not: null } }
    if (invitations === 'moderators' && (await transaction.user.count({ where })) === 0)
      throw forbidden('INVITATIONS_OF_MODERATORS', 'Only moderators invite others on this server.')
    const count = await transaction.invitation.count({ where: { creatorId: viewer.id, expiresAt: { gt: new Date() } } })
    if (count >= maxInvitations) throw new Refusal('CONFLICT', `An account has at most ${maxInvitations} invitations.`)
    const { id } = await transaction.invitation.create({ data, select: { id: true } })
    return { id, code }
  })
}

/** Creates an invitation of the operator. Returns it with its code. Throws `VALIDATION_FAILED`. */
export async function createInvitationOfOperator({ write: { prisma } }: Access, wanted: NewInvitation) {
  const { code, data } = invitationOf(wanted, null)
  const { id, maxUses, expiresAt } = await prisma.invitation.create({ data })
  return { id, code, maxUses, expiresAt }
}

/**
 * Revokes an invitation: one of the viewer, or as a moderator or the operator one of anybody, which the moderation log records. Accounts
 * that were created with it stay. Returns what `snapshot` reads just before, in the same transaction. Throws `NOT_FOUND`, and
 * `FORBIDDEN` if a moderator acts on another one.
 */
export function revokeInvitation<T>(
  { write: { prisma } }: Access,
  actor: Actor,
  id: string,
  snapshot: (transaction: Client) => Promise<T>,
): Promise<T> {
  const work = async (transaction: Client) => {
    if (actor !== 'operator') await holdAccount(transaction, actor)
    const [found] = await transaction.$queryRaw<{ creator_id: string | null }[]>`
      select creator_id from invitations where id = ${id}::uuid for update`
    const creatorId = found?.creator_id
    const isOwn = actor !== 'operator' && creatorId === actor.id
    const moderates = actor === 'operator' || actor.scopes.has('moderation.manage')
    if (!found || !(isOwn || moderates)) throw notFound('invitation')
    const before = await snapshot(transaction)
    if (!isOwn) {
      const [creator] = creatorId ? await accountsFor(transaction, actor, [creatorId]) : []
      const { id: userId = null, username = null } = creator ?? {}
      const action = 'INVITATION_REVOKED' as const
      await logActs(transaction, actor, [{ action, subjectId: id, userId, username, reason: null }])
    }
    await transaction.invitation.delete({ where: { id }, select: { id: true } })
    return before
  }
  return reportUnknownOutcome('read the invitations', () => prisma.$transaction(work))
}

/** Lists all invitations, for the operator. */
export async function listInvitations({ write: { prisma } }: Access, request: ListRequest) {
  const select = {
    id: true,
    creator: { select: { username: true } },
    maxUses: true,
    uses: true,
    createdAt: true,
    expiresAt: true,
  } as const
  const { rows, next } = partOf(await prisma.invitation.findMany({ ...partAfter(request), select }), request)
  return { rows: rows.map(({ creator, ...row }) => ({ ...row, creator: creator?.username ?? null })), next }
}

/** Removes the invitations that have expired. */
export async function removeExpiredInvitations({ write: { prisma } }: Access): Promise<void> {
  await prisma.invitation.deleteMany({ where: { expiresAt: { lte: new Date() } } })
}
