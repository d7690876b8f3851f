import type { GraphQLResolveInfo } from 'graphql'
import { objectOfPayload } from '../../engine/compiler/field-reads.ts'
import type { RequestContext } from '../../engine/execution/request-context.ts'
import { bioBounds, maxLanguages, nameBounds, passwordBounds, signUpReasonBounds } from '../base/bounds.ts'
import { builder } from '../base/builder.ts'
import { formed, guessed, stored, withForm } from '../base/input-rules.ts'
import { ifUnchangedSince, payloadWith, readPayload } from '../base/payload.ts'
import { manageAccount } from '../base/permissions.ts'
import { renameDays, usernameBounds, usernameKeptDays } from '../base/username.ts'
import { emailLinks } from '../mail/links.ts'
import type { IssuedToken } from './access-tokens.ts'
import { signIn, signInDays, signUp } from './accounts.ts'
import { changeEmail, requestPasswordReset, resetPassword, verifyEmail } from './email.ts'
import { changePassword } from './password-changes.ts'
import { updateProfile } from './profile.ts'
import { viewingUser } from './reads.ts'
import { caseOfUsernames, User } from './schema.ts'
import { readsOfNewToken } from './services.ts'
import { AccessToken } from './token-schema.ts'

const newPassword = {
  required: true,
  ...formed(
    'The new password',
    passwordBounds,
    'The most common passwords are refused, and those made of the username or the e-mail address.',
  ),
} as const
/** The password that confirms a change. */
export const currentPassword = {
  required: true,
  description: 'The current password.',
  ...withForm(stored(passwordBounds)),
} as const
/** The code that confirms a change besides the password. */
export const secondFactorCode = {
  description: 'A code of the authenticator app, or a recovery code, if the account has a second factor.',
  ...withForm(guessed),
} as const
/** The name of a new token. */
export const device = formed(
  'The name that `accessTokens` shows for the token, such as that of the device',
  nameBounds,
  'Defaults to `Sign-in`.',
)
const linkToken = { required: true, description: 'The token in the link.', ...withForm(guessed) } as const
/** The condition of a change to the account. */
export const ifAccountUnchangedSince = {
  type: 'DateTime',
  description: ifUnchangedSince('account', 'joinedAt'),
} as const

/** Reads the payload of a sign-in as the account that has just signed in. */
export async function signedIn(
  { token, accessToken: { id, userId } }: IssuedToken,
  context: RequestContext,
  info: GraphQLResolveInfo,
) {
  const { services, isInTransaction } = context
  services.database.replicas?.readOnPrimary(userId)
  return {
    ...(await readPayload({ reads: readsOfNewToken(context, userId, id), isInTransaction }, info, id, 'sign in')),
    token,
  }
}

const readViewer = (context: RequestContext, info: GraphQLResolveInfo) =>
  readPayload(context, info, context.viewer.id, 'read the viewer')

/** The payload of what signs in. */
export const { payloadType: SignInPayload } = builder.relayMutationField(
  'signIn',
  {
    inputFields: (t) => ({
      username: t.string({
        required: true,
        description: 'The username, in any case, with or without `@`.',
        ...withForm(guessed),
      }),
      password: t.string({ required: true, description: 'The password of the account.', ...withForm(guessed) }),
      device: t.string(device),
      earlierToken: t.string({
        description:
          "A token from an earlier sign-in on this device, even if expired. With it, other people's failed attempts do not delay this one.",
        ...withForm(guessed),
      }),
    }),
  },
  {
    needsToken: false,
    description:
      'Signs in, and cancels the deletion of the account if it is not final. Requires no token. Errors: ' +
      '`INVALID_CREDENTIALS` when the username or the password is wrong, `SECOND_FACTOR_REQUIRED` with a `challenge` ' +
      'for `confirmSignIn` when the account has a second factor, `RATE_LIMITED` after many wrong ones, `UNAVAILABLE` ' +
      'when too many people are signing in.',
    extensions: { handlesSecrets: true },
    resolve: async (_root, { input }, context, info) =>
      signedIn(await signIn(context.services, input, context.apiRequest.address), context, info),
  },
  {
    outputFields: (t) => ({
      token: t.exposeString('token', {
        description:
          `A bearer token with all scopes that the account may have, which expires after ${signInDays} days. ` +
          'It is shown only once.',
      }),
      accessToken: t.field({ type: AccessToken, description: 'The record of the token.', read: objectOfPayload }),
      viewer: t.field({ type: User, description: 'The account that signed in.', read: viewingUser }),
    }),
  },
)

const SignUpInput = builder.inputType('SignUpInput', {
  description: 'The account to create.',
  fields: (t) => ({
    username: t.string({ required: true, ...formed('The username', usernameBounds, caseOfUsernames) }),
    email: t.field({
      type: 'EmailAddress',
      required: true,
      description: 'The e-mail address. Nobody else sees it, but by default the avatar is derived from it.',
    }),
    password: t.string(newPassword),
    displayName: t.string(formed('The display name', nameBounds, 'Defaults to the username.')),
    device: t.string(device),
    reason: t.string(
      formed(
        'Why you want to join, for moderators',
        signUpReasonBounds,
        'Servers that approve accounts require it, or an invitation.',
      ),
    ),
    invitation: t.string({
      description: 'The code of an invitation, which some servers require.',
      ...withForm(guessed),
    }),
  }),
})

builder.mutationField('signUp', (t) =>
  t.field({
    type: SignInPayload,
    needsToken: false,
    description:
      'Creates an account and signs in to it. On servers that approve accounts, it can only read until a moderator ' +
      'approves it, which `isApproved` tells. Requires no token. Errors: `CONFLICT` when the username is ' +
      'taken, `FORBIDDEN` when sign-up is closed or requires an invitation, `RATE_LIMITED` after many accounts from one address, ' +
      '`UNAVAILABLE` when too many people are signing in.',
    extensions: { handlesSecrets: true },
    args: { input: t.arg({ type: SignUpInput, required: true, description: 'The account to create.' }) },
    resolve: async (_root, { input }, context, info) =>
      signedIn(await signUp(context.services, input, context.apiRequest.address), context, info),
  }),
)

builder.relayMutationField(
  'updateProfile',
  {
    description: 'Changes to a profile, at least one. Fields that are null or missing stay unchanged.',
    inputFields: (t) => ({
      username: t.string(
        formed(
          'The username',
          usernameBounds,
          `${caseOfUsernames} The old username stays reserved for ${usernameKeptDays} days, or until the next change: ` +
            'it still finds the account, and only the viewer can take it again.',
        ),
      ),
      displayName: t.string(formed('The display name', nameBounds)),
      ifUnchangedSince: t.field(ifAccountUnchangedSince),
      bio: t.string(formed('The biography', bioBounds)),
      isPrivate: t.boolean({
        description:
          'Whether the account is private, which applies at once to everything that it published. Opening it accepts ' +
          'all requests to follow it.',
      }),
      language: t.field({
        type: 'LanguageTag',
        description:
          'The language of what the account sends, if that does not say another. `und` stands for an unknown one.',
      }),
      readingLanguages: t.field({
        type: ['LanguageTag'],
        description: `The languages that the viewer reads, at most ${maxLanguages}.`,
      }),
    }),
  },
  {
    permission: manageAccount,
    description:
      `Updates the viewer's profile. Errors: \`CONFLICT\` when the username is taken, or was changed in ` +
      `the last ${renameDays} days; the message says when it can be changed again.`,
    resolve: async (_root, { input }, context, info) => {
      const { mail, admission } = context.services
      const options = { sendsMail: mail !== undefined, reserved: admission.reservedUsernames }
      await updateProfile(context.database, context.viewer, input, options)
      return readViewer(context, info)
    },
  },
  payloadWith('viewer', User, 'The viewer after the change.', viewingUser),
)

builder.relayMutationField(
  'changePassword',
  {
    inputFields: (t) => ({
      currentPassword: t.string(currentPassword),
      newPassword: t.string(newPassword),
      code: t.string(secondFactorCode),
    }),
  },
  {
    permission: manageAccount,
    staysOpenTo: ['pending'],
    description:
      "Changes the viewer's password and revokes all their other tokens. Errors: `SECOND_FACTOR_REQUIRED`, `RATE_LIMITED` after many " +
      'wrong current passwords or codes, `UNAVAILABLE` when too many people are signing in.',
    extensions: { handlesSecrets: true },
    resolve: async (_root, { input }, context, info) => {
      context.changedAccounts.add(context.viewer.id)
      await changePassword(context.services, context.viewer, input, context.apiRequest.address)
      return readViewer(context, info)
    },
  },
  payloadWith('viewer', User, 'The viewer after the change.', viewingUser),
)

builder.relayMutationField(
  'verifyEmail',
  { inputFields: (t) => ({ token: t.string(linkToken) }) },
  {
    needsToken: false,
    description:
      'Uses the link from an e-mail: it verifies the address of an account, changes it, or reverts a ' +
      'change, which also removes the password and revokes all tokens. Using a link again that verified an ' +
      'address changes nothing. Requires no token. Errors: `VALIDATION_FAILED` for a link that has ' +
      'expired or was already used.',
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
    description:
      'Sends an e-mail with a link for setting a new password, for each account that has verified this ' +
      'address or, if none has, for each account that has it. The link works once, for ' +
      `${emailLinks.RESET.lifetime}. Requires no token. Errors: \`FORBIDDEN\` where the server sends no ` +
      'e-mail, `RATE_LIMITED` after many requests from one address.',
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
      password: t.string(newPassword),
      code: t.string(secondFactorCode),
    }),
  },
  {
    needsToken: false,
    description:
      'Sets a new password with the link from an e-mail, and revokes all tokens of the account. Requires ' +
      'no token. Errors: `SECOND_FACTOR_REQUIRED`, `RATE_LIMITED` after many wrong codes, `UNAVAILABLE` when too many ' +
      'people are signing in.',
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
      password: t.string(currentPassword),
      code: t.string(secondFactorCode),
    }),
  },
  {
    permission: manageAccount,
    staysOpenTo: ['pending'],
    description:
      "Sends a link to the new address, which becomes the viewer's once the link is used. The old address, " +
      'if it was verified, gets a notice with a link that reverts the change. Given the current address, ' +
      'if it is not verified yet, this sends its verification link again. Errors: `FORBIDDEN` where the ' +
      'server sends no e-mail, `SECOND_FACTOR_REQUIRED`, `RATE_LIMITED` after many e-mails, or wrong passwords or codes.',
    extensions: { handlesSecrets: true },
    resolve: async (_root, { input: { email, password, code } }, context, info) => {
      const { services, viewer, apiRequest } = context
      await changeEmail(services, viewer, email, { password, code, address: apiRequest.address })
      return readPayload(context, info, viewer.id, 'read the viewer')
    },
  },
  payloadWith('viewer', User, 'The viewer, still with the old address.', viewingUser),
)
