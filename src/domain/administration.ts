import type { Database } from '../data/database.ts'
import type { AccessToken } from '../data/generated/prisma/client.ts'
import { notFound } from '../errors.ts'
import { type IssuedToken, issueToken, lockAccount, type TokenRequest, tokenNameError } from './access-tokens.ts'
import { createAccount, findAccount, passwordError, type SignUp } from './accounts.ts'
import { operatorAddress, Passwords } from './passwords.ts'
import { refuseInvalid } from './text.ts'

const passwords = new Passwords()

// What whoever runs the server may do. Nothing here asks for a token, so nothing of it is served.

/** Which page of a list is wanted: newest first, beginning after the row with the uuid. */
export type PageRequest = { readonly limit: number; readonly after?: string | undefined }

/** A page of a list, and the `after` of the next one; null on the last. */
export type Page<Row> = { readonly rows: readonly Row[]; readonly next: string | null }

function pageOf<Row extends { readonly id: string }>(rows: readonly Row[], limit: number): Page<Row> {
  const page = rows.slice(0, limit)
  return { rows: page, next: rows.length > limit ? (page.at(-1)?.id ?? null) : null }
}

/** The id of the account with this username, without regard to case. Throws `NOT_FOUND`. */
export async function accountId({ read }: Database, username: string): Promise<string> {
  const id = await findAccount(read, username)
  if (id === undefined) throw notFound('user')
  return id
}

/** A page of all accounts. */
export async function accountsPage({ read }: Database, { limit, after }: PageRequest) {
  const rows = await read.user.findMany({
    where: after === undefined ? {} : { id: { lt: after } },
    orderBy: { id: 'desc' },
    take: limit + 1,
    select: { id: true, username: true, displayName: true, joinedAt: true },
  })
  return pageOf(rows, limit)
}

/** All that is kept of an account, without its tokens, whose live ones are counted. Throws `NOT_FOUND`. */
export async function accountDetails(database: Database, username: string) {
  const id = await accountId(database, username)
  const { passwordHash, badges, _count, ...account } = await database.read.user.findUniqueOrThrow({
    where: { id },
    select: {
      id: true,
      username: true,
      displayName: true,
      email: true,
      emailVerified: true,
      bio: true,
      followerCount: true,
      followingCount: true,
      joinedAt: true,
      passwordHash: true,
      badges: { select: { badge: { select: { name: true } } }, orderBy: { badge: { name: 'asc' } } },
      _count: { select: { accessTokens: { where: { OR: [{ expiresAt: null }, { expiresAt: { gt: new Date() } }] } } } },
    },
  })
  return {
    ...account,
    badges: badges.map(({ badge }) => badge.name),
    hasPassword: passwordHash !== null,
    liveTokens: _count.accessTokens,
  }
}

/** Creates an account and answers its id. Throws `VALIDATION_FAILED`, or `CONFLICT` for a taken name. */
export function addAccount(database: Database, account: SignUp): Promise<string> {
  return createAccount({ database, passwords }, account, operatorAddress, async (_transaction, id) => id)
}

/** Gives an account another password, revokes all its tokens, and answers how many. Throws `VALIDATION_FAILED`. */
export async function resetPassword({ write }: Database, userId: string, password: string): Promise<number> {
  refuseInvalid(passwordError('password', password))
  const passwordHash = await passwords.hash(password, { address: operatorAddress, account: userId })
  return write.$transaction(async (transaction) => {
    await transaction.user.update({ where: { id: userId }, data: { passwordHash }, select: { id: true } })
    const { count } = await transaction.accessToken.deleteMany({ where: { userId } })
    return count
  })
}

/** A page of the tokens of an account, with those that have expired. */
export async function tokensPage(
  { read }: Database,
  userId: string,
  { limit, after }: PageRequest,
): Promise<Page<AccessToken>> {
  const rows = await read.accessToken.findMany({
    where: { userId, ...(after !== undefined && { id: { lt: after } }) },
    orderBy: { id: 'desc' },
    take: limit + 1,
  })
  return pageOf(rows, limit)
}

/** Issues a token to an account. Throws `VALIDATION_FAILED` for its name, `CONFLICT` when there are a thousand. */
export async function issueTokenTo({ write }: Database, request: TokenRequest): Promise<IssuedToken> {
  refuseInvalid(tokenNameError(request.name))
  return write.$transaction((transaction) => issueToken(transaction, request))
}

/** Revokes tokens by their ids, all or none, and answers how many. Throws `NOT_FOUND` when one of them is unknown. */
export async function revokeTokens({ write }: Database, ids: readonly string[]): Promise<number> {
  const wanted = [...new Set(ids)]
  return write.$transaction(async (transaction) => {
    const { count } = await transaction.accessToken.deleteMany({ where: { id: { in: wanted } } })
    if (count < wanted.length) throw notFound('access token')
    return count
  })
}

/** Revokes all tokens of an account and answers how many. */
export async function revokeAllOf({ write }: Database, userId: string): Promise<number> {
  return write.$transaction(async (transaction) => {
    await lockAccount(transaction, userId)
    const { count } = await transaction.accessToken.deleteMany({ where: { userId } })
    return count
  })
}
