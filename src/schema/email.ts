import { changeEmail, requestPasswordReset, resetPassword, verifyEmail } from '../domain/email.ts'
import { emailLinks } from '../domain/email-tokens.ts'
import { manageAccount } from '../domain/permissions.ts'
import { refusedCharacters } from '../domain/text.ts'
import { viewingUser } from '../reads/users.ts'
import { builder } from './builder.ts'
import { payloadOf, readPayload } from './payload.ts'
import { User } from './user.ts'

const VerifyEmailInput = builder.inputType('VerifyEmailInput', {
  description: 'The token of a link in an e-mail.',
  fields: (t) => ({ token: t.string({ required: true, description: 'The token in the link.' }) }),
})

const RequestPasswordResetInput = builder.inputType('RequestPasswordResetInput', {
  description: 'The account whose password was forgotten.',
  fields: (t) => ({
    email: t.field({ type: 'EmailAddress', required: true, description: 'The e-mail address of the account.' }),
  }),
})

const ResetPasswordInput = builder.inputType('ResetPasswordInput', {
  description: 'A new password, and the token of a link in an e-mail.',
  fields: (t) => ({
    token: t.string({ required: true, description: 'The token in the link.' }),
    password: t.string({
      required: true,
      description: `The new password, 8 to 128 characters without ${refusedCharacters}.`,
    }),
  }),
})

const ChangeEmailInput = builder.inputType('ChangeEmailInput', {
  description: 'A new e-mail address, and the current password.',
  fields: (t) => ({
    email: t.field({ type: 'EmailAddress', required: true, description: 'The new address.' }),
    password: t.string({ required: true, description: 'The current password.' }),
  }),
})

const accountOfLink = { type: User, description: 'The account that the link is for.' }

const VerifyEmailPayload = payloadOf('VerifyEmailPayload', 'The result of using a link.', 'user', accountOfLink)
const ResetPasswordPayload = payloadOf(
  'ResetPasswordPayload',
  'The result of setting a new password.',
  'user',
  accountOfLink,
)
const ChangeEmailPayload = payloadOf('ChangeEmailPayload', 'The result of requesting another address.', 'viewer', {
  type: User,
  description: 'The account, still with the old address.',
  read: viewingUser,
})

const RequestPasswordResetPayload = builder
  .objectRef<{ readonly email: string }>('RequestPasswordResetPayload')
  .implement({
    description: 'The result of requesting a password reset. It does not tell whether there is such an account.',
    fields: (t) => ({
      email: t.field({
        type: 'EmailAddress',
        description: 'The address that was given.',
        resolve: ({ email }) => email,
      }),
    }),
  })

builder.mutationFields((t) => ({
  verifyEmail: t.field({
    type: VerifyEmailPayload,
    needsToken: false,
    description:
      'Uses the link of an e-mail. It verifies the address of an account, changes it, or reverts a change, which also removes the password and revokes all tokens of the account. Requires no token. Errors: `VALIDATION_FAILED` for a link that has expired or was already used.',
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
    description: `Sends an e-mail with a link that sets a new password for each account with this address. The link works once, for ${emailLinks.RESET.lifetime}. Requires no token. Errors: \`FORBIDDEN\` where the server sends no e-mail, \`RATE_LIMITED\` after many requests from one address.`,
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
      'Sets a new password with the link of an e-mail, and revokes all tokens of the account. Requires no token. Errors: `UNAVAILABLE` when too many people are signing in.',
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
      'Sends a link to a new address, which becomes that of the viewer once the link is used, and a notice to the old one, with a link that reverts the change. To the current address, if it is not verified yet, it sends the link that verifies it again. Errors: `FORBIDDEN` where the server sends no e-mail, `RATE_LIMITED` after many e-mails or wrong passwords.',
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
