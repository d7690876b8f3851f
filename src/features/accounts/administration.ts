import type { Access } from '../../engine/data/database.ts'
import type { AccessToken } from '../../engine/data/generated/prisma/client.ts'
import type { EmailTokenKind } from '../../engine/data/generated/prisma/enums.ts'
import { type ListPart, type ListRequest, partAfter, partOf } from '../../engine/data/list-part.ts'
import { notFound, Refusal } from '../../engine/errors.ts'
import { nameBounds } from '../base/bounds.ts'
import { refuseInvalid, textError } from '../base/input-rules.ts'
import { lockAccount } from '../base/lock-account.ts'
import { usernameBounds, usernameIn } from '../base/username.ts'
import { createEmailToken, linkOf } from '../mail/links.ts'
import { endTokens, endTokensOf, type IssuedToken, issueToken, type TokenRequest } from './access-tokens.ts'
import { checkAccount, createAccount, endLinks, findAccount, type SignUp } from './accounts.ts'
import { refuseBeingDeleted } from './deletion-request.ts'
import { passwordError } from './password-rules.ts'
import { operatorAddress, Passwords } from './passwords.ts'
import { refuseTaken, setUsername } from './profile.ts'

const passwords = new Passwords()

// Operations for the operator of the server. They check no token, so no surface serves them.

/** The account with this username, ignoring case. Throws `NOT_FOUND` for a former username, with the present one. */
export async function presentAccount({ write: { prisma } }: Access, username: string) {
  const id = await findAccount(prisma, username)
  const account = id && (await prisma.user.findUnique({ where: { id }, select: { id: true, username: true } }))
  if (!account) return undefined
  if (account.username.toLowerCase() === usernameIn(username)) return account
  throw new Refusal('NOT_FOUND', `${username} is a former username: the account is ${account.username} now.`)
}

/** The id of the account with this username, ignoring case. Throws `NOT_FOUND`. */
export async function accountId(database: Access, username: string): Promise<string> {
  const account = await presentAccount(database, username)
  if (!account) throw notFound('user')
  return account.id
}

/** Lists all accounts, or only those that are suspended, or that moderate. */
export async function listAccounts(
  { write: { prisma } }: Access,
  request: ListRequest,
  { suspended, moderators }: { readonly suspended: boolean; readonly moderators: boolean },
) {
  const select = {
    id: true,
    username: true,
    displayName: true,
    joinedAt: true,
    suspendedAt: true,
    moderatorSince: true,
  } as const
  const { where, ...rest } = partAfter(request)
  const filter = {
    ...(suspended && { suspendedAt: { not: null } }),
    ...(moderators && { moderatorSince: { not: null } }),
  }
  return partOf(await prisma.user.findMany({ ...rest, where: { ...where, ...filter }, select }), request)
}

/** All stored data of an account, with its last username and the number of its live tokens. Throws `NOT_FOUND`. */
export async function accountDetails(database: Access, username: string) {
  const id = await accountId(database, username)
  const { user } = database.write.prisma
  const { passwordHash, version, badges, secondFactor, _count, ...account } = await user.findUniqueOrThrow({
    where: { id },
    include: {
      formerUsername: { select: { username: true, leftAt: true, keptUntil: true } },
      badges: { select: { badge: { select: { name: true } } }, orderBy: { badge: { name: 'asc' } } },
      secondFactor: { select: { createdAt: true } },
      _count: {
        select: { accessTokens: { where: { OR: [{ expiresAt: null }, { expiresAt: { gt: new Date() } }] } } },
      },
    },
  })
  const { invitedById } = account
  const inviter = invitedById && (await user.findUnique({ where: { id: invitedById }, select: { username: true } }))
  return {
    ...account,
    inviter: inviter ? inviter.username : null,
    badges: badges.map(({ badge }) => badge.name),
    hasPassword: passwordHash !== null,
    hasSecondFactor: secondFactor !== null,
    liveTokens: _count.accessTokens,
  }
}

/** Creates an account and returns its id. Throws `VALIDATION_FAILED`, or `CONFLICT` if the username is taken. */
export async function addAccount(database: Access, account: SignUp): Promise<string> {
  const checked = await checkAccount(account)
  return createAccount({ database, passwords }, checked, operatorAddress, async (_transaction, id) => id)
}

/**
 * Gives an account another username, at any time. Throws `VALIDATION_FAILED`, or `CONFLICT` if it is taken, or reserved for another
 * account.
 */
export async function renameAccount({ write: { prisma } }: Access, userId: string, username: string): Promise<void> {
  refuseInvalid(textError('username', username, usernameBounds))
  await refuseTaken(() => setUsername(prisma, userId, username))
}

/**
 * Sets the password of an account, ends its links that change the address or the password, revokes all its tokens, and returns
 * their number. Throws `VALIDATION_FAILED`.
 */
export async function resetPassword({ write: { prisma } }: Access, userId: string, password: string): Promise<number> {
  const select = { username: true, email: true } as const
  const names = await prisma.user.findUniqueOrThrow({ where: { id: userId }, select })
  refuseInvalid(await passwordError('password', password, names))
  const passwordHash = await passwords.hash(password, { address: operatorAddress, account: userId })
  return prisma.$transaction(async (transaction) => {
    await transaction.user.update({ where: { id: userId }, data: { passwordHash }, select: { id: true } })
    await endLinks(transaction, userId)
    return endTokensOf(transaction, userId)
  })
}

/** Makes a link for an account, as e-mails have it. */
export async function makeEmailLink(
  { write: { prisma } }: Access,
  uuid: string,
  kind: EmailTokenKind,
  publicUrl: string,
): Promise<{ uuid: string; email: string; link: string }> {
  const { email } = await prisma.user.findUniqueOrThrow({ where: { id: uuid }, select: { email: true } })
  const token = await createEmailToken(prisma, { kind, userId: uuid, email })
  return { uuid, email, link: linkOf(publicUrl, kind, token) }
}

/** Lists the tokens of an account, including expired ones. */
export async function listTokens(
  { write: { prisma } }: Access,
  userId: string,
  request: ListRequest,
): Promise<ListPart<AccessToken>> {
  const { where, ...rest } = partAfter(request)
  return partOf(await prisma.accessToken.findMany({ ...rest, where: { ...where, userId } }), request)
}

/**
 * Issues a token to an account. Throws `VALIDATION_FAILED` for its name, and `CONFLICT` above the limit or for an account that is
 * being deleted.
 */
export async function issueTokenTo({ write: { prisma } }: Access, request: TokenRequest): Promise<IssuedToken> {
  refuseInvalid(textError('name', request.name, nameBounds))
  return prisma.$transaction(async (transaction) => {
    await lockAccount(transaction, request.userId)
    await refuseBeingDeleted(transaction, request.userId)
    return issueToken(transaction, request)
  })
}

/** Revokes tokens by id, all or none, and returns their number. Throws `NOT_FOUND` if one of them is unknown. */
export async function revokeTokens({ write: { prisma } }: Access, ids: readonly string[]): Promise<number> {
  const wanted = [...new Set(ids)]
  return prisma.$transaction(async (transaction) => {
    const count = await endTokens(transaction, { id: { in: wanted } })
    if (count < wanted.length) throw notFound('access token')
    return count
  })
}

/**
 * Revokes authorizations with all their tokens by id, all or none, and returns their number. Throws `NOT_FOUND` if one of them is
 * unknown.
 */
export async function revokeAuthorizations({ write: { prisma } }: Access, ids: readonly string[]): Promise<number> {
  const wanted = [...new Set(ids)]
  return prisma.$transaction(async (transaction) => {
    const { count } = await transaction.oauthGrant.deleteMany({ where: { id: { in: wanted } } })
    if (count < wanted.length) throw notFound('authorization')
    return count
  })
}

/** Revokes all tokens of an account and returns their number. */
export async function revokeAllOf({ write: { prisma } }: Access, userId: string): Promise<number> {
  return prisma.$transaction(async (transaction) => {
    await lockAccount(transaction, userId)
    return endTokensOf(transaction, userId)
  })
}
