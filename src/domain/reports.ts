import type { Access } from '../data/database.ts'
import type { ReportReason } from '../data/generated/prisma/enums.ts'
import { invalid, notFound, Refusal } from '../errors.ts'
import { newId } from './new-id.ts'
import type { Session } from './sessions.ts'
import { type Bounds, refuseInvalid, textError } from './text.ts'
import { reportUnknownOutcome } from './write-outcome.ts'

/** The length of the comment of a report, in code points. */
export const commentBounds: Bounds = { min: 0, max: 1_000 }

/** How many open reports an account may have. */
export const maxOpenReports = 20

/** What somebody reports, and why. */
export type NewReport = {
  readonly uuid: string
  readonly reason: ReportReason
  readonly comment?: string | null | undefined
}

/**
 * Reports a user or a publication, and returns the id of the report: that of the viewer's open report of the same, if there is one. It is one
 * statement, and exact under any concurrency. Throws `VALIDATION_FAILED`, also for what is the viewer's own, `NOT_FOUND`, and `CONFLICT`
 * above the limit.
 */
export async function sendReport(
  { write }: Access,
  { viewerId }: Session,
  { uuid, reason, comment }: NewReport,
): Promise<string> {
  refuseInvalid(textError('comment', comment, commentBounds))
  const [row] = await reportUnknownOutcome('send the report again: it is only stored once', () =>
    write.run({
      text: 'select send_report($1::uuid, $2::uuid, $3::uuid, $4::text, $5::text, $6::int) as outcome',
      values: [newId(), viewerId, uuid, reason, comment ?? null, maxOpenReports],
      lockKey: viewerId,
    }),
  )
  const outcome = row?.outcome
  if (outcome === 'own')
    throw invalid({ field: 'uuid', message: 'must identify another user, or what another user published' })
  if (outcome === 'too_many')
    throw new Refusal('CONFLICT', `An account has at most ${maxOpenReports} open reports: wait until some are closed.`)
  if (typeof outcome !== 'string' || outcome === 'not_found') throw notFound('user or publication')
  return outcome
}

/** The most reports that one statement removes. */
const batchSize = 1_000

/** Removes the reports that were closed more than this many days ago, in short transactions. */
export async function removeOldReports({ write: { prisma } }: Access, days: number): Promise<void> {
  let removed = batchSize
  while (removed === batchSize) {
    removed = await prisma.$executeRaw`
      delete from reports where id in (
        select id from reports where closed_at < now() - make_interval(days => ${days}::int) limit ${batchSize}::int)`
  }
}
