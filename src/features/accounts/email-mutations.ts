import { builder } from '../base/builder.ts'
import { payloadWith, readPayload } from '../base/payload.ts'
import { manageAccount } from '../base/permissions.ts'
import { refusedCharacters } from '../base/text-rules.ts'
import { emailLinks } from '../mail/links.ts'
import { changeEmail, requestPasswordReset, resetPassword, verifyEmail } from './email.ts'
import { passwordRule } from './password-rule.ts'
import { viewingUser } from './reads.ts'
import { User } from './schema.ts'

const linkToken = { required: true, description: 'The token in the link.' } as const
builder.relayMutationField(
  'verifyEmail',
  { inputFields: (t) => ({ token: t.string(linkToken) }) },
  {
    needsToken: false,
    description:
      'Uses the link of an e-mail: it verifies the address of an account, changes it, or reverts a change, which also removes the password and revokes all tokens. A link that verified an address can be used again, which changes nothing. Requires no token. Errors: `VALIDATION_FAILED` for a link that has expired or was already used.',
    extensions: { handlesSecrets: true },
    resolve: async (_root, { input: { token } }, context, info) => {
      const userId = await verifyEmail(context.database, token)
      context.changedAccounts.add(userId)
      return readPayload(context, info, userId, 'sign in')
    },
  },
  payloadWith('user', User, 'The account that the link is for.'),
)

builder.relayMutationField(
  'requestPasswordReset',
  {
    inputFields: (t) => ({
      email: t.field({ type: 'EmailAddress', required: true, description: 'The e-mail address of the account.' }),
    }),
  },
  {
    needsToken: false,
    description: `Sends an e-mail with a link that sets a new password, for each account that has verified this address, or if none has, for each that has it. The link works once, for ${emailLinks.RESET.lifetime}. Requires no token. Errors: \`FORBIDDEN\` where the server sends no e-mail, \`RATE_LIMITED\` after many requests from one address.`,
    extensions: { handlesSecrets: true },
    resolve: async (_root, { input: { email } }, { services, apiRequest }) => {
      await requestPasswordReset(services, email, apiRequest.address)
      return { email }
    },
  },
  {
    description: 'The payload of a mutation, the same whether there is such an account or not.',
    outputFields: (t) => ({
      email: t.expose('email', { type: 'EmailAddress', description: 'The address that was given.' }),
    }),
  },
)

builder.relayMutationField(
  'resetPassword',
  {
    inputFields: (t) => ({
      token: t.string(linkToken),
      password: t.string({
        required: true,
        description: `The new password: 8 to 128 characters without ${refusedCharacters}.`,
        ...passwordRule,
      }),
    }),
  },
  {
    needsToken: false,
    description:
      'Sets a new password with the link of an e-mail, and revokes all tokens of the account. Requires no token. Errors: `UNAVAILABLE` when too many people are signing in.',
    extensions: { handlesSecrets: true },
    resolve: async (_root, { input }, context, info) => {
      const userId = await resetPassword(context.services, input, context.apiRequest.address)
      context.changedAccounts.add(userId)
      return readPayload(context, info, userId, 'sign in')
    },
  },
  payloadWith('user', User, 'The account that the link is for.'),
)

builder.relayMutationField(
  'changeEmail',
  {
    inputFields: (t) => ({
      email: t.field({ type: 'EmailAddress', required: true, description: 'The new address.' }),
      password: t.string({ required: true, description: 'The current password.' }),
    }),
  },
  {
    permission: manageAccount,
    description:
      "Sends a link to a new address, which becomes the viewer's once the link is used, and to the old one, if it was verified, a notice with a link that reverts the change. To the current address, if it is not verified yet, it sends the link that verifies it again. Errors: `FORBIDDEN` where the server sends no e-mail, `RATE_LIMITED` after many e-mails or wrong passwords.",
    extensions: { handlesSecrets: true },
    resolve: async (_root, { input: { email, password } }, context, info) => {
      const { services, viewer, apiRequest } = context
      await changeEmail(services, viewer, email, { field: 'password', password, address: apiRequest.address })
      return readPayload(context, info, viewer.id, 'read the viewer')
    },
  },
  payloadWith('viewer', User, 'The viewer, still with the old address.', viewingUser),
)
