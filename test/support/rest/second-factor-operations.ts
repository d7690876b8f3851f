import { expect } from 'vitest'
import { appSecret, codeOf } from '../graphql/second-factor.ts'
import { adaFactor, adaPassword } from '../networks/small-network.ts'
import { withoutEmail } from './account-operations.ts'
import { anyTime } from './answer.ts'
import { bad, notObjects } from './bad-bodies.ts'
import { users } from './documented-shapes.ts'
import type { Row } from './operation.ts'

const manage = ['account.manage'] as const
const anySecret: unknown = expect.stringMatching(/^[A-Z2-7]{32}$/)
const anyCodes = Array.from({ length: 10 }, (): unknown => expect.stringMatching(/^[a-z2-9]{4}(?:-[a-z2-9]{4}){3}$/))

/** What does not confirm a change. */
const badConfirmations = [
  ...notObjects,
  { body: {}, fields: ['password'] },
  ...bad('password', ['wrong', 5], { code: adaFactor.recoveryCode }),
  ...bad('code', ['000000', 'nope', '', 5], { password: adaPassword }),
]

/** The second factor, and signing in with it. */
export const secondFactorOperations: readonly Row[] = [
  {
    name: 'sign in with a code',
    method: 'POST',
    path: () => '/session/code',
    isOpen: true,
    hasSecondFactor: true,
    body: { challenge: adaFactor.challenge, code: adaFactor.recoveryCode, device: 'Phone' },
    scopes: [],
    answer: {
      token: expect.stringMatching(/^rookery_[\w-]{43}$/),
      record: expect.objectContaining({ name: 'Phone', is_current: true }),
      user: users.ada,
    },
    badBodies: [
      ...notObjects,
      ...bad('challenge', ['', 'nope', 5, `rookery_${'A'.repeat(43)}`], { code: adaFactor.recoveryCode }),
      ...bad('code', [5, {}], { challenge: adaFactor.challenge }),
      ...bad('device', ['', 5], { challenge: adaFactor.challenge, code: adaFactor.recoveryCode }),
      { body: {}, fields: ['challenge', 'code'] },
    ],
  },
  {
    name: 'get second factor',
    method: 'GET',
    path: () => '/second-factor',
    hasSecondFactor: true,
    scopes: manage,
    answer: { created_at: anyTime, recovery_codes_left: 1, passkeys: 1 },
  },
  {
    name: 'make a secret for an authenticator app',
    method: 'POST',
    path: () => '/second-factor',
    scopes: manage,
    answer: {
      secret: anySecret,
      url: expect.stringMatching(/^otpauth:\/\/totp\/Rookery:Ada\?issuer=Rookery&secret=[A-Z2-7]{32}&/),
      qr_code: expect.stringMatching(/^<svg .*<\/svg>$/),
    },
  },
  {
    name: 'set up the second factor',
    method: 'PUT',
    path: () => '/second-factor',
    body: {
      secret: appSecret,
      password: adaPassword,
      get code() {
        return codeOf(appSecret)
      },
    },
    scopes: manage,
    answer: { recovery_codes: anyCodes },
    badBodies: [
      ...notObjects,
      ...bad('secret', ['', 'A'.repeat(31), 'a'.repeat(32), 5], { code: '000000', password: adaPassword }),
      ...bad('code', ['', 'nope', '12345', 5], { secret: appSecret, password: adaPassword }),
      ...bad('password', ['wrong', 5], { secret: appSecret, code: '000000' }),
      { body: {}, fields: ['secret', 'code', 'password'] },
    ],
  },
  {
    name: 'make new recovery codes',
    method: 'POST',
    path: () => '/second-factor/recovery-codes',
    hasSecondFactor: true,
    body: { password: adaPassword, code: adaFactor.recoveryCode },
    scopes: manage,
    answer: { recovery_codes: anyCodes },
    badBodies: badConfirmations,
  },
  {
    name: 'remove the second factor of the own user',
    method: 'DELETE',
    path: () => '/second-factor',
    hasSecondFactor: true,
    body: { password: adaPassword, code: adaFactor.recoveryCode },
    scopes: manage,
    answer: { ...users.ada, ...withoutEmail },
    badBodies: badConfirmations,
  },
]
