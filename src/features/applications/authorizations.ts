import type { Viewer } from '../../engine/auth/viewers.ts'
import type { Client, TransactionalClient } from '../../engine/data/client.ts'
import type { Access } from '../../engine/data/database.ts'
import type { Application } from '../../engine/data/generated/prisma/client.ts'
import { inBatches } from '../../engine/data/in-batches.ts'
import { type ListRequest, partAfter, partOf } from '../../engine/data/list-part.ts'
import { notFound, Refusal } from '../../engine/errors.ts'
import { writeAsOwner } from '../accounts/access-tokens.ts'
import { lockAccount } from '../base/lock-account.ts'
import { tellsOwner } from '../base/scopes.ts'
import { addNotice } from '../mail/jobs.ts'
import { findClient, whereClient } from './clients.ts'

/** How many applications an account can have connected. */
export const maxAuthorizations = 200

/**
 * How many authorizations of one application an account has at most, such as one for each device: the one that was not used for
 * longest ends.
 */
export const authorizationsOfApplication = 20

/** How many access tokens an authorization has at most: the oldest end when it gets others. */
export const tokensOfAuthorization = 100

/** For how many days an authorization lives without being used. */
export const authorizationDays = 60

/** For how many days an application that registered itself is known after somebody has allowed it. */
const registrationDays = 400

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
  return writeAsOwner(access, viewer, 'read the authorizations of the viewer', async (transaction) => {
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

/** The authorization with this id, if there is one. */
export function findAuthorization(database: Client, id: string) {
  return database.oauthGrant.findFirst({ where: { id, ...isCurrent() }, include: { application: true } })
}

/** All scopes that an account has allowed an application. */
export async function scopesAllowed(database: Client, userId: string, clientId: string): Promise<ReadonlySet<string>> {
  const where = { userId, application: whereClient(clientId), ...isCurrent() }
  const known = await database.oauthGrant.findMany({ where, select: { scopes: true } })
  return new Set(known.flatMap(({ scopes }) => scopes))
}

/** An authorization to begin, and when it ends unless the application gets a token by then. */
type NewAuthorization = {
  readonly id: string
  readonly userId: string
  readonly clientId: string
  readonly scopes: string[]
  readonly expiresAt: Date
}

/**
 * Begins an authorization, where `holds` still does, once the account is locked. Throws `CONFLICT` for one application too many,
 * and `NOT_FOUND` if the application was deleted. Its owner gets an e-mail if it can manage or export the account, or moderate.
 */
export async function beginAuthorization(
  database: TransactionalClient,
  { clientId, ...authorization }: NewAuthorization,
  sendsMail: boolean,
  holds: (transaction: Client) => Promise<void>,
): Promise<void> {
  const { userId } = authorization
  await database.$transaction(async (transaction) => {
    await lockAccount(transaction, userId)
    await holds(transaction)
    const { id: applicationId } = (await findClient(transaction, clientId)) ?? {}
    if (applicationId === undefined) throw notFound('application')
    const others = await transaction.oauthGrant.groupBy({
      by: ['applicationId'],
      where: { userId, applicationId: { not: applicationId } },
    })
    if (others.length >= maxAuthorizations)
      throw new Refusal(
        'CONFLICT',
        `An account can have at most ${maxAuthorizations} connected applications. Disconnect one at /oauth/connections, and try again.`,
      )
    // Only those without a token: whoever opens pages often does not end what is in use.
    await transaction.$executeRaw`
      delete from oauth_grants where id in (
        select id from oauth_grants
        where user_id = ${userId}::uuid and application_id = ${applicationId}::uuid and last_used_at is null
        order by id desc offset ${authorizationsOfApplication - 1}::int)`
    await transaction.oauthGrant.create({ data: { ...authorization, applicationId } })
    if (sendsMail && tellsOwner(authorization.scopes)) await addNotice(transaction, userId, 'application-notice')
  })
}

/**
 * Notes in a transaction that an authorization gets a token, so that it lives on, at least until that expires. Returns its
 * application; undefined if it has ended.
 */
export async function useAuthorization(
  transaction: Client,
  id: string,
  expiresAt: Date,
): Promise<Application | undefined> {
  const [used] = await transaction.$queryRaw<{ application_id: string; is_first: boolean }[]>`
    with before as materialized (select id, last_used_at is null as is_first from oauth_grants where id = ${id}::uuid for no key update)
    update oauth_grants set last_used_at = now(), expires_at = ${expiresAt}::timestamptz
    from before where oauth_grants.id = before.id returning application_id, is_first`
  if (!used) return undefined
  if (used.is_first)
    await transaction.$executeRaw`
      delete from oauth_grants where id in (
        select other.id from oauth_grants other join oauth_grants used using (user_id, application_id)
        where used.id = ${id}::uuid and other.last_used_at is not null
        order by other.last_used_at desc, other.id desc offset ${authorizationsOfApplication}::int)`
  return transaction.application.findUniqueOrThrow({ where: { id: used.application_id } })
}

/**
 * Ends all authorizations of the viewer for an application, and returns their number. Throws `UNAUTHENTICATED` as
 * `revokeAuthorization` does.
 */
export function disconnectApplication(access: Access, viewer: Viewer, applicationId: string): Promise<number> {
  return writeAsOwner(access, viewer, 'read the authorizations of the viewer', async (transaction) => {
    const { count } = await transaction.oauthGrant.deleteMany({ where: { applicationId, userId: viewer.id } })
    return count
  })
}

/**
 * How long after its first use a refresh token still gives its successor, in milliseconds: its holders may ask at once, or lose the
 * answer.
 */
export const refreshRepeats = 10_000

/**
 * Removes what has expired: authorizations, their records and tokens, the seeds of used refresh tokens, and applications that
 * nobody has connected and that published nothing. Those that registered themselves are kept for longer, since they do not register
 * again.
 */
export async function removeExpiredAuthorizations({ write: { prisma } }: Access): Promise<void> {
  await inBatches(
    (size) => prisma.$executeRaw`
      delete from oauth_records where hash in (select hash from oauth_records where expires_at <= now() limit ${size}::int)`,
  )
  // With it, an old refresh token and this table would give the present one.
  await inBatches(
    (size) => prisma.$executeRaw`
      update oauth_records set payload = payload - 'seed' where hash in (
        select hash from oauth_records where payload -> 'seed' is not null
          and consumed_at < now() - make_interval(secs => ${refreshRepeats / 1_000}::float8) limit ${size}::int)`,
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
        select id from applications unused where client_id is not null
          and allowed_at < now() - case when client_id like 'https:%' then interval '1 hour' else make_interval(days =>
            ${registrationDays}::int) end
          and not exists (select from oauth_grants where application_id = unused.id)
          and not exists (select from publications where application_id = unused.id) limit ${size}::int)`,
  )
}
