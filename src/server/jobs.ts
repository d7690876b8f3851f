import { z } from 'zod'
import type { Access, Database } from '../engine/data/database.ts'
import { removeOldResults } from '../engine/execution/idempotency.ts'
import { addJob, type JobKinds } from '../engine/jobs/jobs.ts'
import type { Log } from '../engine/log.ts'
import { acceptRemainingRequests } from '../features/accounts/privacy.ts'
import { removeFormerUsernames } from '../features/accounts/profile.ts'
import { removeExpiredChallenges } from '../features/accounts/second-factor/challenges.ts'
import { removeExpiredAuthorizations } from '../features/applications/authorizations.ts'
import { removeOldChanges } from '../features/changes/stored-changes.ts'
import { continueAccountDeletion } from '../features/deletion/deletion.ts'
import { removeExpiredInvitations } from '../features/invitations/invitations.ts'
import { addResets, type MailPayload, mailPayload, resetRequest } from '../features/mail/jobs.ts'
import { removeExpiredLinks } from '../features/mail/links.ts'
import { type Mailing, sendMail } from '../features/mail/send.ts'
import { removeOldAppeals } from '../features/moderation/appeals.ts'
import { removeOldReports } from '../features/moderation/reports.ts'
import { removeRelationsOfDeleted } from '../features/posts/deletion.ts'
import type { Config } from './config.ts'

declare module '../engine/jobs/jobs.ts' {
  interface JobPayloads {
    readonly 'clean-up': Readonly<Record<string, never>>
  }
}

/** The time between two clean-ups, in seconds. */
const cleanUpInterval = 60

/**
 * How many e-mails of each kind a process sends at once, and how many of them to one domain, so that a mail server that hangs
 * delays neither others nor resets.
 */
export const mailsAtOnce = { ofKind: 4, toDomain: 2 } as const

/** Adds the job that cleans up, which repeats, unless it is there. */
export async function addCleanUp({ write: { prisma } }: Access): Promise<void> {
  await addJob(prisma, 'clean-up', {}, { key: '' })
}

/** The kinds of jobs of this version: without a mail server, none for e-mails has a handler. */
export function jobKindsOf(database: Database, config: Config, log: Log, mailing?: Mailing): JobKinds {
  // One that fails does not keep the others from their work.
  const cleanUps = [
    () => removeOldResults(database),
    () => removeOldChanges(database, config.changesKept),
    () => removeOldReports(database, config.reportsKept),
    () => removeOldAppeals(database, config.reportsKept),
    () => removeFormerUsernames(database),
    () => removeExpiredLinks(database),
    () => removeExpiredChallenges(database),
    () => removeExpiredInvitations(database),
    () => removeExpiredAuthorizations(database),
    () => removeRelationsOfDeleted(database),
  ]
  const cleanUp = async () => {
    const failures: unknown[] = []
    for (const remove of cleanUps) await remove().catch((error: unknown) => failures.push(error))
    if (failures.length > 0) throw failures[0]
    return cleanUpInterval
  }
  const handle = mailing && ((payload: MailPayload) => sendMail(database, mailing, payload, log))
  return {
    'send-reset': { payload: mailPayload, rank: 0, places: mailsAtOnce, handle },
    'find-accounts-to-reset': {
      payload: resetRequest,
      rank: 1,
      places: mailsAtOnce,
      handle: async ({ address }) => {
        await addResets(database, address)
        return undefined
      },
    },
    'send-mail': { payload: mailPayload, rank: 2, places: mailsAtOnce, handle },
    'clean-up': { payload: z.strictObject({}), rank: 3, handle: cleanUp },
    'delete-account': {
      payload: z.strictObject({ userId: z.uuid() }),
      rank: 3,
      handle: ({ userId }) => continueAccountDeletion(database, userId),
    },
    'accept-follow-requests': {
      payload: z.strictObject({ userId: z.uuid() }),
      rank: 3,
      handle: ({ userId }) => acceptRemainingRequests(database, userId),
    },
  }
}
