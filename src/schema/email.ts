import { changeEmail, requestPasswordReset, resetPassword, verifyEmail } from '../domain/email.ts'
import { emailLinks } from '../domain/email-tokens.ts'
import { manageAccount } from '../domain/permissions.ts'
import { refusedCharacters } from '../domain/text.ts'
import { viewingUser } from '../reads/users.ts'
import { builder } from './builder.ts'
import { payloadOf, readPayload } from './payload.ts'
import { User } from './user.ts'

const VerifyEmailInput = builder.inputType('VerifyEmailInput', {
  description: 'What the link of a mail has.',
  fields: (t) => ({ token: t.string({ required: true, description: 'The token in the link.' }) }),
})

const RequestPasswordResetInput = builder.inputType('RequestPasswordResetInput', {
  description: 'Whose password is forgotten.',
  fields: (t) => ({
    email: t.field({ type: 'EmailAddress', required: true, description: 'The e-mail address of the account.' }),
  }),
})

const ResetPasswordInput = builder.inputType('ResetPasswordInput', {
  description: 'A new password, and what the link of a mail has.',
  fields: (t) => ({
    token: t.string({ required: true, description: 'The token in the link.' }),
    password: t.string({
      required: true,
      description: `The new password, 8 to 128 characters without ${refusedCharacters}.`,
    }),
  }),
})

const ChangeEmailInput = builder.inputType('ChangeEmailInput', {
  description: 'A new e-mail address.',
  fields: (t) => ({
    email: t.field({ type: 'EmailAddress', required: true, description: 'The new address.' }),
    password: t.string({ required: true, description: 'The current password.' }),
  }),
})

const accountOfLink = { type: User, description: 'The account that the link is for.' }

const VerifyEmailPayload = payloadOf('VerifyEmailPayload', 'The result of a link in a mail.', 'user', accountOfLink)
const ResetPasswordPayload = payloadOf(
  'ResetPasswordPayload',
  'The result of setting a new password.',
  'user',
  accountOfLink,
)
const ChangeEmailPayload = payloadOf('ChangeEmailPayload', 'The result of asking for another address.', 'viewer', {
  type: User,
  description: 'The account, whose address is still the old one.',
  read: viewingUser,
})

const RequestPasswordResetPayload = builder
  .objectRef<{ readonly email: string }>('RequestPasswordResetPayload')
  .implement({
    description: 'The result of asking for a new password. It does not tell whether there is such an account.',
    fields: (t) => ({
      email: t.field({
        type: 'EmailAddress',
        description: 'The address that was given.',
        resolve: ({ email }) => email,
      }),
    }),
  })

const minutes = emailLinks.RESET.seconds / 60

builder.mutationFields((t) => ({
  verifyEmail: t.field({
    type: VerifyEmailPayload,
    needsToken: false,
    description:
      'Uses the link of a mail: it verifies the address of an account, changes it, or takes a change back, which also ends the password and all tokens of the account. Requires no token. Works once: later it gets `VALIDATION_FAILED`.',
    extensions: { handlesSecrets: true },
    args: { input: t.arg({ type: VerifyEmailInput, required: true, description: 'The token in the link.' }) },
    resolve: async (_root, { input: { token } }, context, info) => {
      const userId = await verifyEmail(context.database, token)
      context.changedSessions.add(userId)
      return readPayload(context, info, userId, 'sign in')
    },
  }),
  requestPasswordReset: t.field({
    type: RequestPasswordResetPayload,
    needsToken: false,
    description: `Sends a mail with a link that sets a new password, to the owner of each account with this address. The link works once, for ${minutes} minutes. Requires no token. Errors: \`FORBIDDEN\` where the server sends no e-mail, \`RATE_LIMITED\` after many requests from one address.`,
    extensions: { handlesSecrets: true },
    args: { input: t.arg({ type: RequestPasswordResetInput, required: true, description: 'The address.' }) },
    resolve: async (_root, { input: { email } }, { service, caller }) => {
      await requestPasswordReset(service, email, caller.identity.address)
      return { email }
    },
  }),
  resetPassword: t.field({
    type: ResetPasswordPayload,
    needsToken: false,
    description:
      'Sets a new password by the link of a mail, and revokes all tokens of the account. Requires no token. Errors: `UNAVAILABLE` when too many people are signing in.',
    extensions: { handlesSecrets: true },
    args: { input: t.arg({ type: ResetPasswordInput, required: true, description: 'The token and the password.' }) },
    resolve: async (_root, { input }, context, info) => {
      const userId = await resetPassword(context.service, input, context.caller.identity.address)
      context.changedSessions.add(userId)
      return readPayload(context, info, userId, 'sign in')
    },
  }),
  changeEmail: t.field({
    type: ChangeEmailPayload,
    permission: manageAccount,
    description:
      'Sends a link to a new address, which becomes that of the viewer once the link is used, and a notice with a way back to the old one. To an address of the viewer that is not verified yet, it sends the link to verify it again. Errors: `FORBIDDEN` where the server sends no e-mail, `RATE_LIMITED` after many mails or wrong passwords.',
    extensions: { handlesSecrets: true },
    args: {
      input: t.arg({ type: ChangeEmailInput, required: true, description: 'The new address and the password.' }),
    },
    resolve: async (_root, { input: { email, password } }, context, info) => {
      const { service, session, caller } = context
      await changeEmail(service, session, email, { field: 'password', password, address: caller.identity.address })
      return readPayload(context, info, session.viewerId, 'read the viewer')
    },
  }),
}))
