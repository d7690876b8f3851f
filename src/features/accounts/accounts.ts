import { hashToken } from '../../engine/auth/viewers.ts'
import type { Client } from '../../engine/data/client.ts'
import type { Access } from '../../engine/data/database.ts'
import { newId } from '../../engine/data/ids.ts'
import { reportUnknownOutcome } from '../../engine/data/write-outcome.ts'
import { type FieldError, invalid, Refusal } from '../../engine/errors.ts'
import type { Services } from '../../engine/execution/request-context.ts'
import { nameBounds } from '../base/bounds.ts'
import { addressError, canonicalAddress } from '../base/email-address.ts'
import { refuseInvalid, textError } from '../base/input-rules.ts'
import { lockAccount } from '../base/lock-account.ts'
import { reservedError } from '../base/reserved-usernames.ts'
import { everyScope } from '../base/scopes.ts'
import { usernameBounds, usernameIn } from '../base/username.ts'
import { vectorOf } from '../base/words.ts'
import { addMailTo, addNotice, cancelAddressChanges } from '../mail/jobs.ts'
import { daysFromNow, type IssuedToken, issueFirstToken, issueToken, type TokenRequest } from './access-tokens.ts'
import {
  awaitApproval,
  invitationError,
  reasonError,
  refusedDomainError,
  refuseUninvited,
  spendInvitation,
} from './admission.ts'
import { cancelAccountDeletion } from './deletion-request.ts'
import { passwordError } from './password-rules.ts'
import type { Attempt } from './passwords.ts'
import { refuseTaken } from './profile.ts'
import {
  accountOfChallenge,
  addChallenge,
  endChallenge,
  type Proof,
  unusableChallenge,
} from './second-factor/challenges.ts'
import { codeProof, hasSecondFactor, secondFactorRequired } from './second-factor/codes.ts'

/** The lifetime of a token from signing in, in days. */
export const signInDays = 90

/** What operations on accounts depend on. */
export type Accounts = Pick<Services, 'passwords' | 'signInLimits' | 'authenticators' | 'mail'> & {
  readonly database: Access
}

/** `Accounts`, and whom the server admits. */
type OpenAccounts = Accounts & Pick<Services, 'admission'>

/** A new account. The display name defaults to the username. */
export type SignUp = {
  readonly username: string
  readonly email: string
  readonly password: string
  readonly displayName?: string | null | undefined
  /** Why they want to join, for moderators. */
  readonly reason?: string | null | undefined
  /** The code of an invitation. */
  readonly invitation?: string | null | undefined
  readonly device?: string | null | undefined
}

/** An e-mail address in its canonical form. Throws `VALIDATION_FAILED`. */
export function requireAddress(email: string): string {
  const address = canonicalAddress(email)
  if (address === undefined) throw invalid(addressError)
  return address
}

/** An attempt at the password of an account, counted by its id, as several usernames may find it. Invalid ones count as one account. */
function attemptOf(address: string, username: string, id?: string): Attempt {
  return { address, account: id ?? usernameIn(username) ?? '' }
}

/**
 * Creates an account and signs it in. Throws `FORBIDDEN` where sign-up is closed or requires an invitation, `VALIDATION_FAILED`,
 * `CONFLICT` for a taken name, `RATE_LIMITED`, and `UNAVAILABLE` when too many people are signing in.
 */
export async function signUp(accounts: OpenAccounts, account: SignUp, address: string): Promise<IssuedToken> {
  refuseInvalid(textError('device', account.device, nameBounds))
  return openAccount(accounts, account, address, (transaction, id) =>
    issueFirstToken(transaction, signInToken(id, account.device)),
  )
}

/** Creates an account as `signUp` does, and runs `then` in the same transaction instead of issuing a token. */
export async function openAccount<T>(
  accounts: OpenAccounts,
  account: SignUp,
  address: string,
  then: (transaction: Client, id: string) => Promise<T>,
): Promise<T> {
  const { admission } = accounts
  const { invitation, reason } = account
  refuseUninvited(admission, invitation)
  const checked = await checkAccount(
    account,
    reservedError(account.username, admission.reservedUsernames),
    refusedDomainError(account.email, admission),
    reasonError(admission, account),
    await invitationError(accounts.database.write.prisma, admission, invitation),
  )
  const begin = async (transaction: Client, id: string) => {
    await awaitApproval(transaction, admission, { id, reason, invitation })
    if (invitation) await spendInvitation(transaction, admission, { code: invitation, userId: id })
    if (accounts.mail) await addMailTo(transaction, id, 'verification')
    return then(transaction, id)
  }
  const create = () => createAccount(accounts, checked, address, begin)
  return accounts.signInLimits?.signUp(address, create) ?? create()
}

/** A new account that was checked, with its e-mail address in the canonical form. */
type CheckedAccount = {
  readonly username: string
  readonly canonicalEmail: string
  readonly password: string
  readonly displayName: string
}

/** Checks a new account. Throws `VALIDATION_FAILED` with these errors and others that were found. */
export async function checkAccount(
  { username, email, password, displayName }: SignUp,
  ...others: readonly (FieldError | undefined)[]
): Promise<CheckedAccount> {
  refuseInvalid(
    textError('username', username, usernameBounds),
    await passwordError('password', password, { username, email }),
    textError('displayName', displayName, nameBounds),
    canonicalAddress(email) === undefined ? addressError : undefined,
    ...others,
  )
  return { username, canonicalEmail: requireAddress(email), password, displayName: displayName ?? username }
}

/**
 * Creates an account, and runs `then` in the same transaction. Throws `CONFLICT` for a taken name, and `UNAVAILABLE` when too many people
 * are signing in.
 */
export async function createAccount<T>(
  { database, passwords }: Accounts,
  { username, canonicalEmail, password, displayName }: CheckedAccount,
  address: string,
  then: (transaction: Client, id: string) => Promise<T>,
  newUuid = newId(),
): Promise<T> {
  const passwordHash = await passwords.hash(password, attemptOf(address, username))
  const create = async (transaction: Client) => {
    await transaction.$executeRaw`
      insert into users (id, username, email, display_name, name_tokens, password_hash)
      values (${newUuid}::uuid, ${username}, ${canonicalEmail}, ${displayName}, ${vectorOf(displayName)}::tsvector, ${passwordHash})`
    return then(transaction, newUuid)
  }
  return reportUnknownOutcome(`sign in as ${username}`, () =>
    refuseTaken(() => database.write.prisma.$transaction(create)),
  )
}

/** The token of a sign-in, named after its device. */
function signInToken(userId: string, device: string | null | undefined): TokenRequest {
  return { userId, name: device ?? 'Sign-in', scopes: everyScope, expiresAt: daysFromNow(signInDays) }
}

/** Whether there are no accounts at all. */
export async function hasNoAccounts(client: Client): Promise<boolean> {
  return (await client.user.findFirst({ select: { id: true } })) === null
}

/** The account that this username finds, ignoring case, its password hash, and whether a token is or was one of its own. */
async function findByUsername(client: Client, username: string, token = '') {
  const name = usernameIn(username)
  if (name === undefined) return undefined
  const [row] = await client.$queryRaw<{ id: string; password_hash: string | null; owns_token: boolean }[]>`
    select id, password_hash, exists (
      select from access_tokens where hash = ${hashToken(token)} and user_id = users.id
    ) as owns_token
    from users where id = user_named(${name})`
  return row
}

/** The id of the account that this username finds, ignoring case. */
export async function findAccount(client: Client, username: string): Promise<string | undefined> {
  return (await findByUsername(client, username))?.id
}

/** The credentials of an account. */
type Credentials = {
  readonly username: string
  readonly password: string
  /** A token that the device got when it signed in to the account before. */
  readonly earlierToken?: string | null | undefined
  readonly device?: string | null | undefined
}

/**
 * Signs in. A wrong password, an unknown username and an account without a password get the same error after the same time.
 * Throws `INVALID_CREDENTIALS`, `SECOND_FACTOR_REQUIRED`, `RATE_LIMITED`, or `UNAVAILABLE` when too many people are signing in.
 */
export async function signIn(accounts: Accounts, credentials: Credentials, address: string): Promise<IssuedToken> {
  refuseInvalid(textError('device', credentials.device, nameBounds))
  return authenticate(accounts, credentials, address, (transaction, id) =>
    issueToken(transaction, signInToken(id, credentials.device)),
  )
}

/** Checks credentials as `signIn` does, and runs `then` in a transaction that has locked the account, instead of issuing a token. */
export async function authenticate<T>(
  accounts: Accounts,
  credentials: Credentials,
  address: string,
  then: (transaction: Client, id: string) => Promise<T>,
): Promise<T> {
  const attempt = () => authenticateOnce(accounts, credentials, address, then)
  const done = (await attempt()) ?? (await attempt())
  if (!done) throw wrongCredentials()
  if ('challenge' in done) throw secondFactorRequired(done.challenge)
  return done.result
}

const wrongCredentials = () => new Refusal('INVALID_CREDENTIALS', 'The username or the password is wrong.')

/**
 * As `authenticate`, but returns the challenge of a second factor, and undefined if the hash was replaced in the meantime, for example by
 * another sign-in that upgraded it.
 */
async function authenticateOnce<T>(
  { database, passwords, signInLimits, mail }: Accounts,
  { username, password, earlierToken }: Credentials,
  address: string,
  then: (transaction: Client, id: string) => Promise<T>,
): Promise<{ readonly result: T } | { readonly challenge: string } | undefined> {
  const token = earlierToken ?? ''
  const account = await findByUsername(database.write.prisma, username, token)
  const attempt = attemptOf(address, username, account?.id)
  const verify = () => passwords.verify(password, account?.password_hash, attempt)
  const device = account?.owns_token ? Buffer.from(hashToken(token)).toString('base64url') : undefined
  const isRight = await (signInLimits?.signIn(attempt, device, verify) ?? verify())
  if (!account?.password_hash || !isRight) throw wrongCredentials()
  const { id, password_hash } = account
  const upgraded = (await passwords.upgrade(password, password_hash, attempt)) ?? password_hash
  const begin = async (transaction: Client) => {
    // Locks the account, so that a change of the password is either seen here or ends what begins here.
    const [unchanged] = await transaction.$queryRaw<unknown[]>`
      select id from users
      where id = ${id}::uuid and password_hash = ${password_hash} for no key update`
    if (!unchanged) return undefined
    if (upgraded !== password_hash)
      await transaction.user.update({ where: { id }, data: { passwordHash: upgraded }, select: { id: true } })
    if (await hasSecondFactor(transaction, id)) return { challenge: await addChallenge(transaction, id) }
    return { result: await admit(transaction, { id, mail }, then) }
  }
  return reportUnknownOutcome('sign in again', () => database.write.prisma.$transaction(begin))
}

/** Lets somebody in who has proved that an account is theirs, in a transaction that has locked it. */
async function admit<T>(
  transaction: Client,
  { id, mail }: { readonly id: string } & Pick<Accounts, 'mail'>,
  then: (transaction: Client, id: string) => Promise<T>,
): Promise<T> {
  if (!(await cancelAccountDeletion(transaction, id))) throw wrongCredentials()
  if (mail?.signInNotice) await addNotice(transaction, id, 'sign-in-notice')
  return then(transaction, id)
}

/** What continues a sign-in: the challenge that followed the password, and a code. */
type Continuation = {
  readonly challenge: string
  readonly code: string
  readonly device?: string | null | undefined
}

/**
 * Continues a sign-in with a code of the authenticator app or a recovery code. Throws `VALIDATION_FAILED` for a challenge that does not
 * work any more, `INVALID_CREDENTIALS` for a wrong code, and otherwise as `signIn` does.
 */
export async function confirmSignIn(accounts: Accounts, entered: Continuation, address: string): Promise<IssuedToken> {
  refuseInvalid(textError('device', entered.device, nameBounds))
  const { challenge, code, device } = entered
  return confirmAuthentication(accounts, challenge, codeProof(accounts, code, address), (transaction, id) =>
    issueToken(transaction, signInToken(id, device)),
  )
}

/** Continues a sign-in as `confirmSignIn` does, with any proof, and runs `then` in a transaction that has locked the account. */
export async function confirmAuthentication<T>(
  { database, mail }: Accounts,
  challenge: string,
  proof: Proof,
  then: (transaction: Client, id: string) => Promise<T>,
): Promise<T> {
  const wrong = new Refusal('INVALID_CREDENTIALS', proof.wrong)
  const id = await accountOfChallenge(database, challenge)
  const use = await proof.check(id)
  if (!use) throw wrong
  return reportUnknownOutcome('sign in again', () =>
    database.write.prisma.$transaction(async (transaction) => {
      await lockAccount(transaction, id)
      // A new password ends challenges, too.
      if (!(await endChallenge(transaction, challenge))) throw unusableChallenge()
      if (!(await use(transaction))) throw wrong
      return admit(transaction, { id, mail }, then)
    }),
  )
}

/**
 * Ends what whoever knew the former password has asked for: changes of the address that were not confirmed, and links that set
 * another password.
 */
export async function endLinks(transaction: Client, userId: string): Promise<void> {
  await cancelAddressChanges(transaction, userId)
  await transaction.emailToken.deleteMany({ where: { userId, kind: 'RESET' } })
}
