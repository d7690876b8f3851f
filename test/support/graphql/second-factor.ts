import { Secret, TOTP } from 'otpauth'
import { z } from 'zod'
import type { Answer, Person, TestApp } from '../app.ts'
import { mutate } from './mutate.ts'
import { password, signIn } from './sign-in.ts'

/** A second factor, and the secret of its app. */
export type Factor = { readonly secret: string; readonly recoveryCodes: readonly string[] }

/** The secret of an app that was chosen before. */
export const appSecret = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'

/** The code of an app, by default for the present time step. */
export const codeOf = (secret: string, steps = 0): string =>
  TOTP.generate({ secret: Secret.fromBase32(secret), timestamp: Date.now() + steps * 30_000 })

const begun = z.object({ beginSecondFactor: z.object({ secret: z.string(), url: z.string(), qrCode: z.string() }) })
const confirmed = z.object({ confirmSecondFactor: z.object({ recoveryCodes: z.array(z.string()) }) })

/** What an authenticator app needs to know. */
export async function begin(app: TestApp, { token }: Person) {
  const { data } = await app.graphql(token, 'mutation { beginSecondFactor { secret url qrCode } }')
  return begun.parse(data).beginSecondFactor
}

/** Gives an account a second factor, with the code of the step before the present one, so that the codes from now on work. */
export async function addSecondFactor(app: TestApp, person: Person): Promise<Factor> {
  const { secret } = await begin(app, person)
  const input = { secret, code: codeOf(secret, -1), password }
  const { data } = await mutate(app, person, 'confirmSecondFactor', input, 'recoveryCodes')
  return { secret, recoveryCodes: confirmed.parse(data).confirmSecondFactor.recoveryCodes }
}

const renewed = z.object({ renewRecoveryCodes: z.object({ recoveryCodes: z.array(z.string()) }) })

/** Replaces the recovery codes of an account, and returns the new ones. */
export async function renewRecoveryCodes(app: TestApp, person: Person, code: string): Promise<readonly string[]> {
  const { data } = await mutate(app, person, 'renewRecoveryCodes', { password, code }, 'recoveryCodes')
  return renewed.parse(data).renewRecoveryCodes.recoveryCodes
}

const challenged = z.tuple([
  z.object({ extensions: z.object({ code: z.literal('SECOND_FACTOR_REQUIRED'), challenge: z.string() }) }),
])

/** The challenge that follows the right password. */
export async function challengeFor(app: TestApp, { username }: Person, secret = password): Promise<string> {
  const { errors } = await signIn(app, username, secret)
  return challenged.parse(errors)[0].extensions.challenge
}

/** Continues a sign-in. */
export const confirmSignIn = (app: TestApp, challenge: string, code: string): Promise<Answer> =>
  app.graphql(
    undefined,
    'mutation ($input: ConfirmSignInInput!) { confirmSignIn(input: $input) { token viewer { uuid username } } }',
    { input: { challenge, code } },
  )
