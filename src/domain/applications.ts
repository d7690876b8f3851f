import type { Client } from '../data/client.ts'
import type { Access } from '../data/database.ts'
import { Refusal } from '../errors.ts'
import { holdAccountByToken } from './access-tokens.ts'
import { newId } from './new-id.ts'
import type { Session } from './sessions.ts'
import { nameError, refuseInvalid } from './text.ts'
import { reportUnknownOutcome } from './write-outcome.ts'

/** How many applications an account may have. */
export const maxApplications = 100

/**
 * Registers an application of the viewer and returns its id. Throws `VALIDATION_FAILED`, `CONFLICT` above the limit, and
 * `UNAUTHENTICATED` if the token in use was revoked meanwhile.
 */
export async function createApplication(
  { write: { prisma } }: Access,
  session: Session,
  name: string,
  website: URL | null | undefined,
): Promise<string> {
  const { viewerId } = session
  // A user in a URL looks like the host (RFC 9110, section 4.2.4).
  const isWeb = website == null || /^https?:\/\/[^/@]+\//.test(website.href)
  refuseInvalid(
    nameError('name', name),
    isWeb ? undefined : { field: 'website', message: 'must be an http or https URL without a user' },
    website && website.href.length > 2000
      ? { field: 'website', message: 'must have at most 2000 characters' }
      : undefined,
  )
  const data = { id: newId(), ownerId: viewerId, name, website: website?.href ?? null }
  const work = async (transaction: Client) => {
    await holdAccountByToken(transaction, session)
    const count = await transaction.application.count({ where: { ownerId: viewerId } })
    if (count >= maxApplications)
      throw new Refusal('CONFLICT', `An account has at most ${maxApplications} applications.`)
    const { id } = await transaction.application.create({ data, select: { id: true } })
    return id
  }
  return reportUnknownOutcome('read the applications of the viewer', () => prisma.$transaction(work))
}
