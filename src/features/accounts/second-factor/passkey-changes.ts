import type { PublicKeyCredentialCreationOptionsJSON } from '@simplewebauthn/server'
import { z } from 'zod'
import type { Client } from '../../../engine/data/client.ts'
import { reportUnknownOutcome } from '../../../engine/data/write-outcome.ts'
import { invalid, Refusal } from '../../../engine/errors.ts'
import { nameBounds } from '../../base/bounds.ts'
import { refuseInvalid, textError } from '../../base/input-rules.ts'
import { lockAccount } from '../../base/lock-account.ts'
import { addNotice } from '../../mail/jobs.ts'
import type { Owner } from '../access-tokens.ts'
import type { Accounts } from '../accounts.ts'
import { type Confirmation, confirmPassword } from '../password-changes.ts'
import { accountOfChallenge, addChallenge, endChallenge, unusableChallenge } from './challenges.ts'
import { hasSecondFactor } from './codes.ts'
import {
  ceremony,
  descriptionOf,
  expectedOf,
  knownTransports,
  loadWebAuthn,
  maxPasskeys,
  type RelyingParty,
  readCredential,
} from './passkeys.ts'

/** A passkey of an account, as a page lists it. */
export type ListedPasskey = {
  readonly id: string
  readonly name: string
  readonly createdAt: Date
  readonly lastUsedAt: Date | null
}

/** The passkeys of an account, oldest first. */
export async function passkeysOf(client: Client, userId: string): Promise<readonly ListedPasskey[]> {
  const select = { id: true, name: true, createdAt: true, lastUsedAt: true } as const
  const found = await client.passkey.findMany({
    where: { userId },
    select,
    orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
  })
  return found.map(({ id, ...passkey }) => ({ ...passkey, id: Buffer.from(id).toString('base64url') }))
}

/** Refuses one passkey more for an account with a second factor, in a transaction that has locked it. */
async function refuseMore(transaction: Client, userId: string): Promise<void> {
  if (!(await hasSecondFactor(transaction, userId)))
    throw new Refusal('CONFLICT', 'The account has no second factor any more.')
  if ((await transaction.passkey.count({ where: { userId } })) >= maxPasskeys)
    throw new Refusal('CONFLICT', `An account can have ${maxPasskeys} passkeys: remove one first.`)
}

/** The algorithms of signatures, in COSE: EdDSA, ES256 and RS256, which all versions of Node.js verify. */
const supportedAlgorithmIDs = [-8, -7, -257]

/** A new passkey that waits for its authenticator: its name, the challenge, and what the browser needs to know. */
export type PasskeyRequest = {
  readonly name: string
  readonly challenge: string
  readonly options: PublicKeyCredentialCreationOptionsJSON
}

/**
 * Begins to add a passkey to the second factor of the owner. Throws as `changePassword` does, and `CONFLICT` for one passkey too many or
 * without a second factor.
 */
export async function beginPasskey(
  accounts: Accounts,
  owner: Owner,
  { id: rpID, name: rpName }: RelyingParty,
  { name, ...confirmation }: Confirmation & { readonly name: string },
  address: string,
): Promise<PasskeyRequest> {
  refuseInvalid(textError('name', name, nameBounds))
  const { prisma } = accounts.database.write
  const { id: userId } = owner
  const change = await confirmPassword(accounts, owner, confirmation, address)
  const challenge = await change('begin again', async (transaction) => {
    await refuseMore(transaction, userId)
    return addChallenge(transaction, userId, true)
  })
  const { username } = await prisma.user.findUniqueOrThrow({ where: { id: userId }, select: { username: true } })
  const passkeys = await prisma.passkey.findMany({ where: { userId }, select: { id: true, transports: true } })
  const { generateRegistrationOptions } = await loadWebAuthn()
  const options = await generateRegistrationOptions({
    rpID,
    rpName,
    userID: Uint8Array.from(Buffer.from(userId.replaceAll('-', ''), 'hex')),
    userName: username,
    userDisplayName: username,
    challenge,
    timeout: ceremony.timeout,
    excludeCredentials: passkeys.map(descriptionOf),
    // A security key need not store anything, since people enter their username anyway.
    authenticatorSelection: { residentKey: 'discouraged', userVerification: ceremony.userVerification },
    supportedAlgorithmIDs,
  })
  return { name, challenge, options }
}

const attestation = z.object({
  clientDataJSON: z.base64url().min(1),
  attestationObject: z.base64url().min(1),
  transports: z.array(z.string()).catch([]).transform(knownTransports),
})

/** Reads a new passkey in the answer to a challenge. Undefined if it is not one for this server. */
async function readPasskey(relyingParty: RelyingParty, challenge: string, credential: string) {
  const response = readCredential(credential, attestation)
  if (!response) return undefined
  const { verifyRegistrationResponse } = await loadWebAuthn()
  const expected = { ...expectedOf(relyingParty, challenge), supportedAlgorithmIDs }
  // The library throws for whatever is wrong with an answer.
  const verified = await verifyRegistrationResponse({ response, ...expected }).catch(() => undefined)
  const passkey = verified?.registrationInfo?.credential
  return (
    passkey && {
      id: Uint8Array.from(Buffer.from(passkey.id, 'base64url')),
      publicKey: Uint8Array.from(passkey.publicKey),
      counter: passkey.counter,
      transports: response.response.transports,
    }
  )
}

/** A passkey that an authenticator has made: its name, the challenge of `beginPasskey`, and the answer of the browser. */
type NewPasskey = { readonly name: string; readonly challenge: string; readonly credential: string }

/**
 * Adds a passkey that answers the challenge of `beginPasskey`, for the same account. Throws `VALIDATION_FAILED` for any other, and
 * `CONFLICT` for one passkey too many and for one that is known.
 */
export async function addPasskey(
  { database, mail }: Accounts,
  { id: userId }: Owner,
  relyingParty: RelyingParty,
  { name, challenge, credential }: NewPasskey,
): Promise<void> {
  refuseInvalid(textError('name', name, nameBounds))
  if ((await accountOfChallenge(database, challenge, true)) !== userId) throw unusableChallenge()
  const passkey = await readPasskey(relyingParty, challenge, credential)
  if (!passkey) throw invalid({ field: 'passkey', message: 'was not accepted' })
  await reportUnknownOutcome('read the second factor', () =>
    database.write.prisma.$transaction(async (transaction) => {
      await lockAccount(transaction, userId)
      if (!(await endChallenge(transaction, challenge))) throw unusableChallenge()
      await refuseMore(transaction, userId)
      const data = { ...passkey, userId, name }
      const { count } = await transaction.passkey.createMany({ data, skipDuplicates: true })
      if (count === 0) throw new Refusal('CONFLICT', 'This passkey was added before.')
      if (mail) await addNotice(transaction, userId, 'passkey-notice')
    }),
  )
}

/** Removes a passkey of the owner. Throws as `changePassword` does. Who removes one twice has what they want. */
export async function removePasskey(
  accounts: Accounts,
  owner: Owner,
  { id, ...confirmation }: Confirmation & { readonly id: string },
  address: string,
): Promise<void> {
  const change = await confirmPassword(accounts, owner, confirmation, address)
  const where = { id: Uint8Array.from(Buffer.from(id, 'base64url')), userId: owner.id }
  await change('read the second factor', async (transaction) => {
    const { count } = await transaction.passkey.deleteMany({ where })
    if (count > 0 && accounts.mail) await addNotice(transaction, owner.id, 'passkey-removal-notice')
  })
}
