import type { Client } from '../../engine/data/client.ts'
import type { Access } from '../../engine/data/database.ts'
import type { AppealState } from '../../engine/data/generated/prisma/enums.ts'
import { newId } from '../../engine/data/ids.ts'
import { inBatches } from '../../engine/data/in-batches.ts'
import { type ListRequest, partAfter, partOf } from '../../engine/data/list-part.ts'
import { forbidden, notFound, Refusal } from '../../engine/errors.ts'
import { type Owner, writeAsOwner } from '../accounts/access-tokens.ts'
import { appealBounds } from '../base/bounds.ts'
import { refuseInvalid, textError } from '../base/input-rules.ts'

/**
 * Sends an appeal against the suspension of the owner's account, and returns its id. Throws `VALIDATION_FAILED`, `FORBIDDEN` for an
 * account that is not suspended, and `CONFLICT` while another appeal is open.
 */
export function sendAppeal(access: Access, owner: Owner, text: string): Promise<string> {
  refuseInvalid(textError('text', text, appealBounds))
  const { id: userId } = owner
  // The account is locked, so that neither a second appeal nor the end of the suspension comes between.
  const send = async (transaction: Client) => {
    const { suspendedAt } = await transaction.user.findUniqueOrThrow({
      where: { id: userId },
      select: { suspendedAt: true },
    })
    if (suspendedAt === null) throw forbidden('NOT_SUSPENDED', 'This account is not suspended.')
    if ((await transaction.appeal.count({ where: { userId, state: 'OPEN' } })) > 0)
      throw new Refusal('CONFLICT', 'Your appeal is still open: wait until it is answered.')
    const { id } = await transaction.appeal.create({ data: { id: newId(), userId, text }, select: { id: true } })
    return id
  }
  return writeAsOwner(access, owner, 'read the appeals of the viewer', send, { evenSuspended: true })
}

/** Removes the appeals that were answered more than this many days ago, in short transactions. */
export async function removeOldAppeals({ write: { prisma } }: Access, days: number): Promise<void> {
  await inBatches(
    (size) => prisma.$executeRaw`
      delete from appeals where id in (
        select id from appeals where answered_at < now() - make_interval(days => ${days}::int) limit ${size}::int)`,
  )
}

const withUser = { user: { select: { username: true } } } as const

/** Lists the appeals in this state, for the operator. */
export async function listAppeals({ write: { prisma } }: Access, request: ListRequest, state: AppealState) {
  const select = { id: true, createdAt: true, userId: true, ...withUser } as const
  const { where, ...rest } = partAfter(request)
  const rows = await prisma.appeal.findMany({ ...rest, where: { ...where, state }, select })
  const flat = rows.map(({ user, ...row }) => ({ ...row, ...user }))
  return partOf(flat, request)
}

/** All that is stored of an appeal, for the operator. Throws `NOT_FOUND`. */
export async function appealDetails({ write: { prisma } }: Access, id: string) {
  const found = await prisma.appeal.findUnique({ where: { id }, include: withUser })
  if (!found) throw notFound('appeal')
  const { user, ...appeal } = found
  return { ...appeal, ...user }
}
