import { v7 as newId } from 'uuid'
import { z } from 'zod'
import type { Client } from '../data/client.ts'
import type { Database } from '../data/database.ts'
import { isUniqueViolation } from '../data/unique-violation.ts'
import { type FieldError, InvalidToken, invalid, Refusal } from '../errors.ts'
import { scopes } from '../scopes.ts'
import { accountHeldByToken, daysFromNow, holdAccountByToken, type IssuedToken, issueToken } from './access-tokens.ts'
import type { Passwords, Requester } from './passwords.ts'
import type { Session } from './sessions.ts'
import { refuseInvalid, textError } from './text.ts'
import { writing } from './writing.ts'

/** How long a display name is, in code points. */
export const displayNameBounds = { min: 1, max: 50 } as const

/** How long a bio is, in code points. */
export const bioBounds = { min: 0, max: 500 } as const

const passwordBounds = { min: 8, max: 128 } as const
const usernameForm = /^[A-Za-z0-9_]{1,30}$/

/** How long a token from signing in lives, in days. */
const signInDays = 90

/** Names that would be taken for the service itself. */
const reserved = new Set([
  'about',
  'admin',
  'administrator',
  'api',
  'help',
  'me',
  'moderator',
  'root',
  'rookery',
  'security',
  'support',
  'system',
])

/** What accounts are kept with. */
export type Accounts = { readonly database: Database; readonly passwords: Passwords }

/** A new account. Its display name is its username unless it says another. */
export type SignUp = {
  readonly username: string
  readonly email: string
  readonly password: string
  readonly displayName?: string | null | undefined
}

/** Whether a text can be somebody's username. */
export function isUsername(text: string): boolean {
  return usernameForm.test(text)
}

function usernameError(username: string): FieldError | undefined {
  if (!usernameForm.test(username)) return { field: 'username', message: 'must be 1 to 30 of A-Z, a-z, 0-9 and _' }
  if (reserved.has(username.toLowerCase())) return { field: 'username', message: 'is reserved' }
  return undefined
}

/** As the HTML standard has it. RFC 5321 bounds the length. */
function emailError(email: string): FieldError | undefined {
  if (email.length > 254) return { field: 'email', message: 'must have at most 254 characters' }
  if (!z.regexes.html5Email.test(email)) return { field: 'email', message: 'must be an e-mail address' }
  return undefined
}

/** What is wrong with a new password, if anything. */
export function passwordError(field: string, password: string): FieldError | undefined {
  return textError(field, password, passwordBounds)
}

/** Who asks for a hash for the account of a username. What cannot be one is all one account. */
function requesterOf(address: string, username: string): Requester {
  return { address, account: usernameForm.test(username) ? username.toLowerCase() : '' }
}

/** Creates an account and signs it in. Throws `VALIDATION_FAILED`, `CONFLICT` for a taken name, `UNAVAILABLE` when too many sign in. */
export function signUp(accounts: Accounts, account: SignUp, address: string): Promise<IssuedToken> {
  return createAccount(accounts, account, address, issueSignInToken)
}

/** Creates an account and does what belongs to it in the same transaction. Throws as `signUp` does. */
export async function createAccount<T>(
  { database: { write }, passwords }: Accounts,
  { username, email, password, displayName }: SignUp,
  address: string,
  then: (transaction: Client, id: string) => Promise<T>,
): Promise<T> {
  refuseInvalid(
    usernameError(username),
    passwordError('password', password),
    displayName == null ? undefined : textError('displayName', displayName, displayNameBounds),
    emailError(email),
  )
  const passwordHash = await passwords.hash(password, requesterOf(address, username))
  try {
    return await writing(`sign in as ${username}`, () =>
      write.$transaction(async (transaction) => {
        const data = { id: newId(), username, email, displayName: displayName ?? username, passwordHash }
        const { id } = await transaction.user.create({ data, select: { id: true } })
        return then(transaction, id)
      }),
    )
  } catch (error) {
    if (isUniqueViolation(error)) throw new Refusal('CONFLICT', 'This username is taken.', { cause: error })
    throw error
  }
}

function issueSignInToken(transaction: Client, userId: string): Promise<IssuedToken> {
  return issueToken(transaction, { userId, name: 'Sign-in', scopes, expiresAt: daysFromNow(signInDays) })
}

/** The id of the account with this username, without regard to case, and its password's hash. */
async function findByUsername(client: Client, username: string) {
  const [row] = await client.$queryRaw<{ id: string; password_hash: string | null }[]>`
    select id, password_hash from users where lower(username) = ${username.toLowerCase()}`
  return row
}

/** The id of the account with this username, without regard to case. */
export async function findAccount(client: Client, username: string): Promise<string | undefined> {
  return usernameForm.test(username) ? (await findByUsername(client, username))?.id : undefined
}

/** What somebody signs in with. */
export type Credentials = { readonly username: string; readonly password: string }

/**
 * Signs in. A wrong password, an unknown name and an account without a password look alike, in the answer and in its time.
 * Throws `UNAUTHENTICATED`, or `UNAVAILABLE` when too many sign in.
 */
export async function signIn(
  { database: { read, write }, passwords }: Accounts,
  { username, password }: Credentials,
  address: string,
): Promise<IssuedToken> {
  const account = usernameForm.test(username) ? await findByUsername(read, username) : undefined
  const isRight = await passwords.verify(password, account?.password_hash, requesterOf(address, username))
  const wrong = new Refusal('UNAUTHENTICATED', 'The username or the password is wrong.')
  if (!account || !isRight) throw wrong
  const issue = async (transaction: Client) => {
    // Holding the account, so that a change of the password is either seen here or revokes this token too.
    const unchanged = await transaction.$queryRaw<object[]>`
      select id from users where id = ${account.id}::uuid and password_hash = ${account.password_hash} for no key update`
    if (unchanged.length === 0) throw wrong
    return issueSignInToken(transaction, account.id)
  }
  return writing('sign in again', () => write.$transaction(issue))
}

/** A change of password. */
export type PasswordChange = { readonly currentPassword: string; readonly newPassword: string }

/**
 * Changes the viewer's password and revokes all their other tokens. Throws `VALIDATION_FAILED` when the current one is wrong,
 * `UNAUTHENTICATED` when the token in use was revoked meanwhile, `UNAVAILABLE` when too many sign in.
 */
export async function changePassword(
  { database: { read, write }, passwords }: Accounts,
  session: Session,
  { currentPassword, newPassword }: PasswordChange,
  address: string,
): Promise<void> {
  const { viewerId, tokenId } = session
  refuseInvalid(passwordError('newPassword', newPassword))
  const wrong = invalid({ field: 'currentPassword', message: 'is wrong' })
  const { passwordHash: known } = await read.user.findUniqueOrThrow({
    where: { id: viewerId },
    select: { passwordHash: true },
  })
  // Under the id, since whoever guesses at the username has no token of the account.
  const requester = { address, account: viewerId }
  if (!(await passwords.verify(currentPassword, known, requester))) throw wrong
  const passwordHash = await passwords.hash(newPassword, requester)
  await writing('sign in with the new password', () =>
    write.$transaction(async (transaction) => {
      await holdAccountByToken(transaction, session)
      const { count } = await transaction.user.updateMany({
        where: { id: viewerId, passwordHash: known },
        data: { passwordHash },
      })
      if (count === 0) throw wrong
      await transaction.accessToken.deleteMany({ where: { userId: viewerId, id: { not: tokenId } } })
    }),
  )
}

/**
 * Changes the viewer's profile; what is null or missing stays. Throws `VALIDATION_FAILED`, and `UNAUTHENTICATED` when the token in
 * use was revoked meanwhile.
 */
export async function updateProfile({ write }: Database, session: Session, changes: ProfileChanges): Promise<void> {
  const { displayName = null, bio = null } = changes
  refuseInvalid(
    displayName === null && bio === null ? { field: 'displayName', message: 'or bio has to be given' } : undefined,
    displayName === null ? undefined : textError('displayName', displayName, displayNameBounds),
    bio === null ? undefined : textError('bio', bio, bioBounds),
  )
  const changed = await writing(
    'read the profile of the viewer',
    () => write.$executeRaw`
      with held as (${accountHeldByToken(session)})
      update users set display_name = coalesce(${displayName}, display_name), bio = coalesce(${bio}, bio)
      from held where users.id = held.id`,
  )
  if (changed === 0) throw new InvalidToken()
}

/** What changes of a profile. */
export type ProfileChanges = {
  readonly displayName?: string | null | undefined
  readonly bio?: string | null | undefined
}
