import type { Viewer } from '../../engine/auth/viewers.ts'
import type { Client } from '../../engine/data/client.ts'
import type { Access } from '../../engine/data/database.ts'
import type { ReportReason, ReportState } from '../../engine/data/generated/prisma/enums.ts'
import { newId } from '../../engine/data/ids.ts'
import { inBatches } from '../../engine/data/in-batches.ts'
import { type ListRequest, partAfter, partOf } from '../../engine/data/list-part.ts'
import { invalid, notFound, Refusal } from '../../engine/errors.ts'
import { commentBounds } from '../base/bounds.ts'
import { callFor, callOf } from '../base/function-calls.ts'
import { refuseInvalid, textError } from '../base/input-rules.ts'
import { type LimitsOfAccount, withinLimits } from '../limits/limits.ts'

/** How many open reports an account may have. */
export const maxOpenReports = 20

/** What somebody reports, and why. */
type NewReport = {
  readonly uuid: string
  readonly reason: ReportReason
  readonly comment?: string | null | undefined
}

/**
 * Reports a user or a publication, and returns the id of the report: that of the viewer's open report of the same, if there is one.
 * It is one statement, and exact under any concurrency. Throws `VALIDATION_FAILED`, also for what is the viewer's own, `NOT_FOUND`,
 * and `CONFLICT` above the limit.
 */
export async function sendReport(
  access: Access,
  viewer: Viewer,
  { uuid, reason, comment }: NewReport,
  limits?: LimitsOfAccount,
): Promise<string> {
  refuseInvalid(textError('comment', comment, commentBounds))
  const id = newId()
  return withinLimits(limits, { reports: 1 }, async (refusal) => {
    const row = await callFor(access, viewer, 'send the report again: it is only stored once', {
      ...callOf('send_report', {
        report: id,
        viewer: viewer.id,
        subject: uuid,
        given_reason: reason,
        given_comment: comment ?? null,
        most: refusal ? 0 : maxOpenReports,
      }),
      lockKey: viewer.id,
    })
    const outcome = row?.outcome
    if (outcome === 'own')
      throw invalid({ field: 'uuid', message: 'must identify another user, or what another user published' })
    if (outcome === 'too_many' && refusal) throw refusal
    if (outcome === 'too_many')
      throw new Refusal(
        'CONFLICT',
        `An account has at most ${maxOpenReports} open reports: wait until some are closed.`,
      )
    if (typeof outcome !== 'string' || outcome === 'not_found') throw notFound('user or publication')
    return { value: outcome, isNew: outcome === id }
  })
}

/** Closes the open reports of an account that is erased, no more than this many, and returns their number. */
export function closeReportsOf(transaction: Client, userId: string, limit: number): Promise<number> {
  return transaction.$executeRaw`
    update reports set state = 'CLOSED', closed_at = now(), note = 'The account was deleted.'
    where id in (
      select id from reports where user_id = ${userId}::uuid and state = 'OPEN' order by id limit ${limit}::int for no key update)`
}

/** Removes the reports that were closed more than this many days ago, in short transactions. */
export async function removeOldReports({ write: { prisma } }: Access, days: number): Promise<void> {
  await inBatches(
    (size) => prisma.$executeRaw`
      delete from reports where id in (
        select id from reports where closed_at < now() - make_interval(days => ${days}::int) limit ${size}::int)`,
  )
}

/** Lists the reports in this state, for the operator. */
export async function listReports({ write: { prisma } }: Access, request: ListRequest, state: ReportState) {
  const select = { id: true, createdAt: true, reason: true, subjectId: true, userId: true, username: true } as const
  const { where, ...rest } = partAfter(request)
  return partOf(await prisma.report.findMany({ ...rest, where: { ...where, state }, select }), request)
}

/** All that is stored of a report, for the operator. Throws `NOT_FOUND`. */
export async function reportDetails({ write: { prisma } }: Access, id: string) {
  const include = { reporter: { select: { username: true } } } as const
  const found = await prisma.report.findUnique({ where: { id }, include })
  if (!found) throw notFound('report')
  return { ...found, reporter: found.reporter?.username ?? null }
}
