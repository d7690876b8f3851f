import { isIP } from 'node:net'
import type { AuthenticationResponseJSON, AuthenticatorTransport, WebAuthnCredential } from '@simplewebauthn/server'
import { z } from 'zod'
import { hashToken } from '../../../engine/auth/viewers.ts'
import type { Client } from '../../../engine/data/client.ts'
import type { Passkey } from '../../../engine/data/generated/prisma/client.ts'
import { challengeMinutes, type Proof } from './challenges.ts'

/** How many passkeys an account can have. */
export const maxPasskeys = 10

/** The server as passkeys know it: they are bound to its host, and pages of this origin can use them. */
export type RelyingParty = { readonly id: string; readonly origin: string; readonly name: string }

/** The server at these URLs as passkeys know it. Undefined for an IP address, which can have none. */
export function relyingPartyOf(issuer: string, name: string): RelyingParty | undefined {
  const { hostname: id, origin } = new URL(issuer)
  return isIP(id.replaceAll(/[[\]]/g, '')) ? undefined : { id, origin, name }
}

/** Loads the library, which is large, when it is first needed. It fetches nothing, as it knows no makers of authenticators. */
export async function loadWebAuthn() {
  const library = await import('@simplewebauthn/server')
  for (const identifier of ['android-key', 'android-safetynet', 'apple'] as const)
    library.SettingsService.setRootCertificates({ identifier, certificates: [] })
  return library
}

const transports = ['ble', 'hybrid', 'internal', 'nfc', 'usb'] as const

/** How a browser reaches an authenticator, without ways that are not known. */
export const knownTransports = (names: readonly string[]): AuthenticatorTransport[] =>
  transports.filter((transport) => names.includes(transport))

/** A passkey as the library describes it. */
export const descriptionOf = ({ id, transports }: Pick<Passkey, 'id' | 'transports'>) => ({
  id: Buffer.from(id).toString('base64url'),
  transports: knownTransports(transports),
})

/** The options that adding and using a passkey share. */
export const ceremony = { userVerification: 'preferred', timeout: challengeMinutes * 60_000 } as const

/** What the library expects of the answer to a challenge. */
export const expectedOf = ({ id, origin }: RelyingParty, challenge: string) => ({
  expectedChallenge: Buffer.from(challenge).toString('base64url'),
  expectedOrigin: origin,
  expectedRPID: id,
  requireUserVerification: false,
})

const text = z.base64url().min(1)

/** The JSON in a form. Undefined for what is none. */
function parseJson(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}

/** Reads what a browser answers: the id of a passkey, and a response of this shape. Undefined if it is something else. */
export function readCredential<Response extends z.ZodType>(json: string, response: Response) {
  const { data } = z.object({ id: text, response }).safeParse(parseJson(json))
  return data && { ...data, rawId: data.id, type: 'public-key' as const, clientExtensionResults: {} }
}

const assertion = z.object({ clientDataJSON: text, authenticatorData: text, signature: text })

/** Whether a passkey made an answer; if so, its counter. */
async function verify(
  relyingParty: RelyingParty,
  challenge: string,
  response: AuthenticationResponseJSON,
  credential: WebAuthnCredential,
): Promise<number | undefined> {
  const { verifyAuthenticationResponse } = await loadWebAuthn()
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response,
    credential,
    ...expectedOf(relyingParty, challenge),
  })
  return verified ? authenticationInfo.newCounter : undefined
}

/** The proof that a passkey of the account answers the challenge. */
export const passkeyProof = (
  prisma: Client,
  relyingParty: RelyingParty,
  { challenge, credential }: { readonly challenge: string; readonly credential: string },
): Proof => ({
  wrong: 'The passkey was not accepted. Try again, or enter a code.',
  check: async (userId) => {
    const response = readCredential(credential, assertion)
    const id = Uint8Array.from(Buffer.from(response?.id ?? '', 'base64url'))
    const passkey = await prisma.passkey.findFirst({ where: { id, userId } })
    if (!response || !passkey) return undefined
    const { publicKey, counter } = passkey
    const known = { id: response.id, publicKey, counter: Number(counter) }
    // The library throws for whatever is wrong with an answer.
    const next = await verify(relyingParty, challenge, response, known).catch(() => undefined)
    if (next === undefined) return undefined
    return async (transaction) => {
      // Many authenticators do not count.
      const before = next > 0 ? { lt: next } : 0
      const { count } = await transaction.passkey.updateMany({
        where: { id, userId, counter: before },
        data: { counter: next, lastUsedAt: new Date() },
      })
      return count > 0
    }
  },
})

/** What a browser needs to answer the challenge of a sign-in with a passkey. Undefined if the account has none. */
export async function askForPasskey(prisma: Client, { id: rpID }: RelyingParty, challenge: string) {
  const owner = { user: { challenges: { some: { hash: hashToken(challenge), addsPasskey: false } } } }
  const passkeys = await prisma.passkey.findMany({ where: { factor: owner }, select: { id: true, transports: true } })
  if (passkeys.length === 0) return undefined
  const { generateAuthenticationOptions } = await loadWebAuthn()
  return generateAuthenticationOptions({ ...ceremony, rpID, challenge, allowCredentials: passkeys.map(descriptionOf) })
}
