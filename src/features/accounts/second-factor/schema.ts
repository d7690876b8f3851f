import { sql } from '../../../engine/compiler/sql.ts'
import type { TextForm } from '../../../engine/text/text-form.ts'
import { builder } from '../../base/builder.ts'
import { guessed, withForm } from '../../base/input-rules.ts'
import { payloadWith, readPayload } from '../../base/payload.ts'
import { manageAccount } from '../../base/permissions.ts'
import { viewer } from '../../visibility/viewer.ts'
import { confirmSignIn } from '../accounts.ts'
import { currentPassword, device, SignInPayload, secondFactorCode, signedIn } from '../mutations.ts'
import { viewingUser } from '../reads.ts'
import { User } from '../schema.ts'
import { secretForm } from './authenticators.ts'
import { challengeMinutes } from './challenges.ts'
import { recoveryCodeForm, recoveryCodes } from './recovery-codes.ts'
import { beginSecondFactor, removeSecondFactor, renewRecoveryCodes, setSecondFactor } from './setup.ts'

const urlForm: TextForm = { min: 1, max: 2_000, pattern: /^otpauth:\/\/totp\/\S+$/, format: 'uri', words: 'a URL' }
const svgForm: TextForm = { min: 1, max: 100_000, pattern: /^<svg [\s\S]*<\/svg>$/, words: 'an SVG image' }

const code = {
  required: true,
  description: 'A code of the authenticator app, or a recovery code.',
  ...withForm(guessed),
} as const

const newCodes = {
  description: `${recoveryCodes} codes that each work once instead of one of the app. They are shown only once.`,
  ...withForm(recoveryCodeForm),
} as const

const SecondFactor = builder.prismaObject('SecondFactor', {
  description: 'The second factor of the viewer: an authenticator app (TOTP, RFC 6238), recovery codes and passkeys.',
  fields: (t) => ({
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was set up.' }),
    recoveryCodesLeft: t.int({
      description: `How many of the ${recoveryCodes} recovery codes were not used.`,
      read: { value: (row) => sql`(select count(*)::int from recovery_codes c where c.user_id = ${row}.user_id)` },
    }),
    passkeys: t.int({
      description: 'How many passkeys sign in instead of a code, on the pages of the server.',
      read: { value: (row) => sql`(select count(*)::int from passkeys p where p.user_id = ${row}.user_id)` },
    }),
  }),
})

builder.queryField('secondFactor', (t) =>
  t.field({
    type: SecondFactor,
    nullable: true,
    permission: manageAccount,
    description: 'The second factor of the viewer; null if there is none.',
    read: { where: (it) => sql`${it}.user_id = ${viewer.id}` },
  }),
)

const ConfirmSignInInput = builder.inputType('ConfirmSignInInput', {
  description: 'What continues a sign-in.',
  fields: (t) => ({
    challenge: t.string({
      required: true,
      description: 'The `challenge` in the extensions of `SECOND_FACTOR_REQUIRED`.',
      ...withForm(guessed),
    }),
    code: t.string(code),
    device: t.string(device),
  }),
})

builder.mutationField('confirmSignIn', (t) =>
  t.field({
    type: SignInPayload,
    needsToken: false,
    description:
      `Continues a sign-in that needs a second factor, within ${challengeMinutes} minutes. Each code works once. Requires no ` +
      'token. Errors: `VALIDATION_FAILED` for a challenge that was used or has expired, `INVALID_CREDENTIALS` for a ' +
      'wrong code, `RATE_LIMITED` after many wrong ones.',
    extensions: { handlesSecrets: true },
    args: { input: t.arg({ type: ConfirmSignInInput, required: true, description: 'What continues the sign-in.' }) },
    resolve: async (_root, { input }, context, info) =>
      signedIn(await confirmSignIn(context.services, input, context.apiRequest.address), context, info),
  }),
)

builder.relayMutationField(
  'beginSecondFactor',
  null,
  {
    permission: manageAccount,
    staysOpenTo: ['pending'],
    description:
      'Makes a secret for an authenticator app. Nothing changes before `confirmSecondFactor` gets it back, with a code ' +
      'of the app. Errors: `FORBIDDEN` where the operator has set no key, `CONFLICT` when there is a second factor.',
    extensions: { handlesSecrets: true },
    resolve: (_root, _args, { services, viewer }) => beginSecondFactor(services, viewer),
  },
  {
    description: 'What an authenticator app needs to know.',
    outputFields: (t) => ({
      secret: t.exposeString('secret', {
        description: 'The secret, to type into an app: 160 bits in base32.',
        ...withForm(secretForm),
      }),
      url: t.exposeString('url', {
        description: 'A URL that opens an app on the same device: `otpauth:` with the secret.',
        ...withForm(urlForm),
      }),
      qrCode: t.exposeString('qrCode', {
        description: 'The URL as a QR code, for an app on another device: an SVG image, black on white.',
        ...withForm(svgForm),
      }),
    }),
  },
)

builder.relayMutationField(
  'confirmSecondFactor',
  {
    inputFields: (t) => ({
      secret: t.string({ required: true, description: 'The secret of `beginSecondFactor`.', ...withForm(secretForm) }),
      code: t.string({ ...code, description: 'A code that the authenticator app shows for this secret.' }),
      password: t.string(currentPassword),
    }),
  },
  {
    permission: manageAccount,
    staysOpenTo: ['pending'],
    description:
      'Gives the account a second factor. From then on, `signIn`, `changePassword`, `changeEmail`, `deleteAccount`, ' +
      '`resetPassword`, `renewRecoveryCodes` and `removeSecondFactor` need a code. Tokens stay valid. Errors: ' +
      '`FORBIDDEN` where the operator has set no key, `CONFLICT` when there is a second factor, `RATE_LIMITED` after many wrong passwords.',
    extensions: { handlesSecrets: true },
    resolve: async (_root, { input }, context, info) => {
      const { services, viewer, apiRequest } = context
      const codes = await setSecondFactor(services, viewer, input, apiRequest.address)
      return { ...(await readPayload(context, info, viewer.id, 'read the second factor')), codes }
    },
  },
  {
    outputFields: (t) => ({
      recoveryCodes: t.exposeStringList('codes', newCodes),
      viewer: t.field({ type: User, description: 'The viewer.', read: viewingUser }),
    }),
  },
)

builder.relayMutationField(
  'renewRecoveryCodes',
  { inputFields: (t) => ({ password: t.string(currentPassword), code: t.string(secondFactorCode) }) },
  {
    permission: manageAccount,
    staysOpenTo: ['pending'],
    description:
      'Replaces the recovery codes: the former ones do not work any more. Errors: `SECOND_FACTOR_REQUIRED`, `NOT_FOUND` ' +
      'when there is no second factor, `RATE_LIMITED` after many wrong passwords or codes.',
    extensions: { handlesSecrets: true },
    resolve: async (_root, { input }, context, info) => {
      const { services, viewer, apiRequest } = context
      const codes = await renewRecoveryCodes(services, viewer, input, apiRequest.address)
      return { ...(await readPayload(context, info, viewer.id, 'renew the recovery codes again')), codes }
    },
  },
  {
    outputFields: (t) => ({
      recoveryCodes: t.exposeStringList('codes', newCodes),
      viewer: t.field({ type: User, description: 'The viewer.', read: viewingUser }),
    }),
  },
)

builder.relayMutationField(
  'removeSecondFactor',
  { inputFields: (t) => ({ password: t.string(currentPassword), code: t.string(secondFactorCode) }) },
  {
    permission: manageAccount,
    staysOpenTo: ['pending'],
    description:
      'Removes the second factor with its recovery codes and passkeys, for example to set up another one. Errors: ' +
      '`SECOND_FACTOR_REQUIRED`, `NOT_FOUND` when there is none, `RATE_LIMITED` after many wrong passwords or codes.',
    extensions: { handlesSecrets: true },
    resolve: async (_root, { input }, context, info) => {
      const { services, viewer, apiRequest } = context
      await removeSecondFactor(services, viewer, input, apiRequest.address)
      return readPayload(context, info, viewer.id, 'read the second factor')
    },
  },
  payloadWith('viewer', User, 'The viewer.', viewingUser),
)
