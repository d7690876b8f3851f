import type { Client } from '../data/client.ts'
import type { Access } from '../data/database.ts'
import type { Prisma } from '../data/generated/prisma/client.ts'
import { notFound } from '../errors.ts'
import { writeAsViewer } from './access-tokens.ts'
import { inBatches } from './in-batches.ts'
import { type ListRequest, partAfter, partOf } from './list-part.ts'
import type { Viewer } from './viewers.ts'

/** How many applications an account can have connected. */
export const maxAuthorizations = 200

/** How many access tokens an authorization has at most: the oldest end when it gets others. */
export const tokensOfAuthorization = 100

/** For how many days an application stays connected without being used. */
export const authorizationDays = 400

/**
 * Ends an authorization of the viewer with all its tokens, and returns what `snapshot` reads of it just before. Throws `NOT_FOUND`, and
 * `UNAUTHENTICATED` when the token in use was revoked meanwhile.
 */
export function revokeAuthorization<T>(
  access: Access,
  viewer: Viewer,
  id: string,
  snapshot: (transaction: Client) => Promise<T>,
): Promise<T> {
  return writeAsViewer(access, viewer, 'read the authorizations of the viewer', async (transaction) => {
    const before = await snapshot(transaction)
    const { count } = await transaction.oauthGrant.deleteMany({ where: { id, userId: viewer.id } })
    if (count === 0) throw notFound('authorization')
    return before
  })
}

/** The condition on authorizations that have not expired. */
const isCurrent = () => ({ expiresAt: { gt: new Date() } })

/** Lists what an account has allowed applications. */
export async function listAuthorizations({ write: { prisma } }: Access, userId: string, request: ListRequest) {
  const { where, ...rest } = partAfter(request)
  const include = { application: true } as const
  const rows = await prisma.oauthGrant.findMany({ ...rest, where: { ...where, userId, ...isCurrent() }, include })
  return partOf(rows, request)
}

/** An authorization in such a list. */
export type ListedAuthorization = Awaited<ReturnType<typeof listAuthorizations>>['rows'][number]

/** The authorization with this id, or that an account has given to an application, if there is one. */
export function findAuthorization(
  database: Client,
  where: Pick<Prisma.OauthGrantWhereInput, 'id'> | { readonly userId: string; readonly applicationId: string },
) {
  return database.oauthGrant.findFirst({ where: { ...where, ...isCurrent() }, include: { application: true } })
}

/** Removes what has expired: authorizations, their records and tokens, and applications that nobody has connected and that published nothing. */
export async function removeExpiredAuthorizations({ write: { prisma } }: Access): Promise<void> {
  await inBatches(
    (size) => prisma.$executeRaw`
      delete from oauth_records where hash in (select hash from oauth_records where expires_at <= now() limit ${size}::int)`,
  )
  await inBatches(
    (size) => prisma.$executeRaw`
      delete from oauth_grants where id in (select id from oauth_grants where expires_at <= now() limit ${size}::int)`,
  )
  await inBatches(
    (size) => prisma.$executeRaw`
      delete from access_tokens where id in (
        select id from access_tokens where grant_id is not null and expires_at <= now() limit ${size}::int)`,
  )
  await inBatches(
    (size) => prisma.$executeRaw`
      delete from applications where id in (
        select id from applications unused where client_id is not null and created_at < now() - interval '1 hour'
          and not exists (select from oauth_grants where application_id = unused.id)
          and not exists (select from publications where application_id = unused.id) limit ${size}::int)`,
  )
}
