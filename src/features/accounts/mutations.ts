import type { GraphQLResolveInfo } from 'graphql'
import { objectOfPayload } from '../../engine/compiler/field-reads.ts'
import type { RequestContext } from '../../engine/execution/request-context.ts'
import { bioBounds } from '../base/bounds.ts'
import { builder } from '../base/builder.ts'
import { nameRule, textRule, withRule } from '../base/input-rules.ts'
import { ifUnchangedSince, payloadWith, readPayload } from '../base/payload.ts'
import { manageAccount } from '../base/permissions.ts'
import { refusedCharacters, refusedInNames } from '../base/text-rules.ts'
import { renameDays, usernameError, usernameKeptDays } from '../base/username.ts'
import type { IssuedToken } from './access-tokens.ts'
import { changePassword, signIn, signInDays, signUp } from './accounts.ts'
import { passwordRule } from './password-rule.ts'
import { updateProfile } from './profile.ts'
import { viewingUser } from './reads.ts'
import { User, usernameDescription } from './schema.ts'
import { readsOfNewToken } from './services.ts'
import { AccessToken } from './token-schema.ts'

const newPassword = {
  required: true,
  description: `The new password: 8 to 128 characters without ${refusedCharacters}.`,
  ...passwordRule,
} as const
export const currentPassword = { required: true, description: 'The current password.' } as const
const displayName = `The display name: 1 to 50 characters without ${refusedInNames}.`
const device = {
  description: `The name that \`accessTokens\` shows for the token, such as that of the device: 1 to 50 characters without ${refusedInNames}. Defaults to \`Sign-in\`.`,
  ...nameRule,
}
export const ifAccountUnchangedSince = {
  type: 'DateTime',
  description: ifUnchangedSince('account', 'joinedAt'),
} as const
/** Reads the payload of a sign-in as the account that has just signed in. */
async function signedIn(
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

const { payloadType: SignInPayload } = builder.relayMutationField(
  'signIn',
  {
    inputFields: (t) => ({
      username: t.string({ required: true, description: 'The username, in any case, with or without `@`.' }),
      password: t.string({ required: true, description: 'The password of the account.' }),
      device: t.string(device),
      earlierToken: t.string({
        description:
          "A token from an earlier sign-in on this device, even if expired. With it, other people's failed attempts do not delay this one.",
      }),
    }),
  },
  {
    needsToken: false,
    description:
      'Signs in, and cancels the deletion of the account if it is not final. Requires no token. Errors: `INVALID_CREDENTIALS` when the username or the password is wrong, `RATE_LIMITED` after many wrong ones, `UNAVAILABLE` when too many people are signing in.',
    extensions: { handlesSecrets: true },
    resolve: async (_root, { input }, context, info) =>
      signedIn(await signIn(context.services, input, context.apiRequest.address), context, info),
  },
  {
    outputFields: (t) => ({
      token: t.exposeString('token', {
        description: `A bearer token with all scopes that the account may have, which expires after ${signInDays} days. It is shown only once.`,
      }),
      accessToken: t.field({ type: AccessToken, description: 'The record of the token.', read: objectOfPayload }),
      viewer: t.field({ type: User, description: 'The account that signed in.', read: viewingUser }),
    }),
  },
)

const SignUpInput = builder.inputType('SignUpInput', {
  description: 'The account to create.',
  fields: (t) => ({
    username: t.string({ required: true, description: usernameDescription, ...withRule(usernameError) }),
    email: t.field({
      type: 'EmailAddress',
      required: true,
      description: 'The e-mail address. Nobody else sees it, but by default the avatar is derived from it.',
    }),
    password: t.string({ ...newPassword }),
    displayName: t.string({ description: `${displayName} Defaults to the username.`, ...nameRule }),
    device: t.string(device),
  }),
})

builder.mutationField('signUp', (t) =>
  t.field({
    type: SignInPayload,
    needsToken: false,
    description:
      'Creates an account and signs in to it. Requires no token. Errors: `CONFLICT` when the username is taken, `FORBIDDEN` when sign-up is closed, `RATE_LIMITED` after many accounts from one address, `UNAVAILABLE` when too many people are signing in.',
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
      username: t.string({
        ...withRule(usernameError),
        description: `${usernameDescription} The old username stays reserved for ${usernameKeptDays} days: it still finds the account, and only the viewer can take it again.`,
      }),
      displayName: t.string({ description: displayName, ...nameRule }),
      ifUnchangedSince: t.field(ifAccountUnchangedSince),
      bio: t.string({
        description: `The biography: at most 500 characters without ${refusedCharacters}.`,
        ...textRule(bioBounds),
      }),
    }),
  },
  {
    permission: manageAccount,
    description: `Updates the viewer's profile. Errors: \`CONFLICT\` when the username is taken, or was changed in the last ${renameDays} days; the message says when it can be changed again.`,
    resolve: async (_root, { input }, context, info) => {
      await updateProfile(context.database, context.viewer, input, context.services.mail !== undefined)
      return readViewer(context, info)
    },
  },
  payloadWith('viewer', User, 'The viewer after the change.', viewingUser),
)

builder.relayMutationField(
  'changePassword',
  { inputFields: (t) => ({ currentPassword: t.string(currentPassword), newPassword: t.string(newPassword) }) },
  {
    permission: manageAccount,
    description:
      "Changes the viewer's password and revokes all their other tokens. Errors: `RATE_LIMITED` after many wrong current passwords, `UNAVAILABLE` when too many people are signing in.",
    extensions: { handlesSecrets: true },
    resolve: async (_root, { input }, context, info) => {
      context.changedAccounts.add(context.viewer.id)
      await changePassword(context.services, context.viewer, input, context.apiRequest.address)
      return readViewer(context, info)
    },
  },
  payloadWith('viewer', User, 'The viewer after the change.', viewingUser),
)
