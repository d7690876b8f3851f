import { graphql } from '../../../engine/rest/graphql.ts'
import { descriptionOf } from '../../../engine/rest/openapi/resolve.ts'
import { operation } from '../../../engine/rest/operation.ts'
import { seconds, view } from '../../../engine/rest/view.ts'
import { sampleBearer, samplePassword, signedInView } from '../rest-access.ts'
import { ownUserView } from '../rest-views.ts'
import { recoveryCodes } from './recovery-codes.ts'
import { noSecondFactor } from './setup.ts'

const sampleCode = '287082'
const sampleSecret = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'

/** Confirm a sign-in, which the interface does not have. */
export const confirmSignIn = operation({
  route: 'POST /session/code',
  summary: 'Sign in with a code',
  description:
    'Continues a sign-in that was answered with `SECOND_FACTOR_REQUIRED`: with its `challenge`, and a code of the ' +
    'authenticator app or a recovery code.',
  body: { example: { challenge: sampleBearer, code: sampleCode } },
  document: graphql(
    `mutation ConfirmSignIn($challenge: String!, $code: String!, $device: String) {
      confirmSignIn(input: { challenge: $challenge, code: $code, device: $device }) { ...SignedIn }
    }`,
    [signedInView.fragment],
  ),
  view: signedInView,
  of: ({ confirmSignIn }) => confirmSignIn,
  errors: ['INVALID_CREDENTIALS', 'FORBIDDEN'],
})

const factorView = view(
  'SecondFactor',
  'SecondFactor',
  'A second factor.',
  { createdAt: '2026-07-27T11:00:00.000Z', recoveryCodesLeft: 9, passkeys: 1 },
  { created_at: ['createdAt', seconds], recovery_codes_left: 'recoveryCodesLeft', passkeys: 'passkeys' },
)

/** Get second factor, which the interface does not have. */
export const getSecondFactor = operation({
  route: 'GET /second-factor',
  summary: 'Get the second factor',
  description: 'The second factor of the viewer.',
  document: graphql('query GetSecondFactor { secondFactor { ...SecondFactor } }', [factorView.fragment]),
  view: factorView,
  of: ({ secondFactor }) => {
    if (!secondFactor) throw noSecondFactor()
    return secondFactor
  },
  errors: ['NOT_FOUND'],
})

const setupView = view(
  'AuthenticatorSetup',
  'BeginSecondFactorPayload',
  'What an authenticator app needs to know.',
  {
    secret: sampleSecret,
    url: `otpauth://totp/Rookery:ada?issuer=Rookery&secret=${sampleSecret}&algorithm=SHA1&digits=6&period=30`,
    qrCode: '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 53 53"></svg>',
  },
  { secret: 'secret', url: 'url', qr_code: 'qrCode' },
)

/** Begin second factor, which the interface does not have. */
export const beginSecondFactor = operation({
  route: 'POST /second-factor',
  summary: 'Make a secret for an authenticator app',
  description: 'Makes a secret. Nothing changes before it is sent back, with a code of the app.',
  document: graphql('mutation BeginSecondFactor { beginSecondFactor { ...AuthenticatorSetup } }', [setupView.fragment]),
  view: setupView,
  of: ({ beginSecondFactor }) => beginSecondFactor,
  errors: ['FORBIDDEN', 'CONFLICT'],
})

const sampleRecoveryCodes = Array.from(
  { length: recoveryCodes },
  (_, index) => `k7mq-x2wp-9hfd-r4t${'abcdefghjk'[index]}`,
)

const codesProperty = ['recoveryCodes', undefined, { minItems: recoveryCodes, maxItems: recoveryCodes }] as const

const confirmedView = view(
  'ConfirmedSecondFactor',
  'ConfirmSecondFactorPayload',
  'The recovery codes of a new second factor.',
  { recoveryCodes: sampleRecoveryCodes },
  { recovery_codes: codesProperty },
)

/** Confirm second factor, which the interface does not have. */
export const confirmSecondFactor = operation({
  route: 'PUT /second-factor',
  summary: 'Set up the second factor',
  description:
    'Gives the account a second factor, with the secret and a code that the app made from it. The recovery codes are ' +
    'shown only once. Tokens stay valid.',
  body: { example: { secret: sampleSecret, code: sampleCode, password: samplePassword } },
  document: graphql(
    `mutation ConfirmSecondFactor($secret: String!, $code: String!, $password: String!) {
      confirmSecondFactor(input: { secret: $secret, code: $code, password: $password }) { ...ConfirmedSecondFactor }
    }`,
    [confirmedView.fragment],
  ),
  view: confirmedView,
  of: ({ confirmSecondFactor }) => confirmSecondFactor,
  errors: ['FORBIDDEN', 'CONFLICT'],
})

const renewedView = view(
  'RenewedRecoveryCodes',
  'RenewRecoveryCodesPayload',
  'The new recovery codes of a second factor.',
  { recoveryCodes: sampleRecoveryCodes },
  { recovery_codes: codesProperty },
)

/** Renew recovery codes, which the interface does not have. */
export const renewRecoveryCodes = operation({
  route: 'POST /second-factor/recovery-codes',
  summary: 'Make new recovery codes',
  description: 'Replaces the recovery codes, and shows the new ones, only once. The former ones do not work any more.',
  body: { example: { password: samplePassword, code: sampleCode } },
  document: graphql(
    `mutation RenewRecoveryCodes($password: String!, $code: String) {
      renewRecoveryCodes(input: { password: $password, code: $code }) { ...RenewedRecoveryCodes }
    }`,
    [renewedView.fragment],
  ),
  view: renewedView,
  of: ({ renewRecoveryCodes }) => renewRecoveryCodes,
  errors: ['SECOND_FACTOR_REQUIRED', 'FORBIDDEN', 'NOT_FOUND'],
})

/** Remove second factor, which the interface does not have. */
export const removeSecondFactor = operation({
  route: 'DELETE /second-factor',
  summary: 'Remove the second factor',
  description: descriptionOf('Mutation', 'removeSecondFactor'),
  optionalScopes: ['user.email'],
  body: { example: { password: samplePassword, code: sampleCode } },
  document: graphql(
    `mutation RemoveSecondFactor($password: String!, $code: String) {
      removeSecondFactor(input: { password: $password, code: $code }) { viewer { ...OwnUser } }
    }`,
    [ownUserView.fragment],
  ),
  view: ownUserView,
  of: ({ removeSecondFactor }) => removeSecondFactor.viewer,
  errors: ['SECOND_FACTOR_REQUIRED', 'FORBIDDEN', 'NOT_FOUND'],
})
