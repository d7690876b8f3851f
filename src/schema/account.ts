import type { GraphQLResolveInfo } from 'graphql'
import type { IssuedToken } from '../domain/access-tokens.ts'
import { deleteOwnAccount } from '../domain/account-deletion.ts'
import { changePassword, signIn, signInDays, signUp } from '../domain/accounts.ts'
import { manageAccount } from '../domain/permissions.ts'
import { updateProfile } from '../domain/profile.ts'
import { staleness } from '../domain/sessions.ts'
import { refusedCharacters, refusedInNames } from '../domain/text.ts'
import { renameDays, usernameKeptDays } from '../domain/username.ts'
import { objectOfPayload } from '../reads/read.ts'
import { viewingUser } from '../reads/users.ts'
import { AccessToken } from './access-token.ts'
import { builder } from './builder.ts'
import type { Context } from './context.ts'
import { type MutationPayload, payloadOf, readPayload } from './payload.ts'
import { User, usernameDescription } from './user.ts'

const allowed = `without ${refusedCharacters}`

const SignUpInput = builder.inputType('SignUpInput', {
  description: 'The account to create.',
  fields: (t) => ({
    username: t.string({ required: true, description: usernameDescription }),
    email: t.field({
      type: 'EmailAddress',
      required: true,
      description: 'E-mail address. It is shown to nobody else, but by default the avatar is derived from it.',
    }),
    password: t.string({ required: true, description: `Password, 8 to 128 characters ${allowed}.` }),
    displayName: t.string({
      description: `Display name, 1 to 50 characters without ${refusedInNames}. Defaults to the username.`,
    }),
  }),
})

const SignInInput = builder.inputType('SignInInput', {
  description: 'The credentials of an account.',
  fields: (t) => ({
    username: t.string({ required: true, description: 'Username, in any case, with or without `@`.' }),
    password: t.string({ required: true, description: 'Password of the account.' }),
    earlierToken: t.string({
      description:
        "A token from an earlier sign-in on this device, even if expired. With it, other people's failed attempts do not delay this one.",
    }),
  }),
})

const SignInPayload = builder.objectRef<MutationPayload & { readonly token: string }>('SignInPayload').implement({
  description: 'The result of signing up or in.',
  fields: (t) => ({
    token: t.exposeString('token', {
      description: `A bearer token with all scopes that the account may have, which expires after ${signInDays} days. It is shown only once.`,
    }),
    accessToken: t.field({ type: AccessToken, description: 'The record of the token.', read: objectOfPayload }),
    viewer: t.field({ type: User, description: 'The account that signed in.', read: viewingUser }),
  }),
})

/** Reads the payload of a sign-in as the account that has just signed in. */
async function signedIn(
  { token, accessToken: { id, userId } }: IssuedToken,
  context: Context,
  info: GraphQLResolveInfo,
) {
  const { service, reads, isInTransaction } = context
  service.database.replicas?.readOnPrimary(userId)
  return { ...(await readPayload({ reads: reads.as(userId, id), isInTransaction }, info, id, 'sign in')), token }
}

const UpdateProfileInput = builder.inputType('UpdateProfileInput', {
  description: 'Changes to a profile, at least one. Fields that are null or missing stay unchanged.',
  fields: (t) => ({
    username: t.string({
      description: `${usernameDescription} The old one stays the viewer's for ${usernameKeptDays} days: it still finds the account, and they can go back to it.`,
    }),
    displayName: t.string({ description: `Display name, 1 to 50 characters without ${refusedInNames}.` }),
    bio: t.string({ description: `Biography, at most 500 characters ${allowed}.` }),
  }),
})

const ChangePasswordInput = builder.inputType('ChangePasswordInput', {
  description: 'The current password and a new one.',
  fields: (t) => ({
    currentPassword: t.string({ required: true, description: 'The current password.' }),
    newPassword: t.string({ required: true, description: `The new password, 8 to 128 characters ${allowed}.` }),
  }),
})

const DeleteAccountInput = builder.inputType('DeleteAccountInput', {
  description: 'What confirms the deletion of an account.',
  fields: (t) => ({ password: t.string({ required: true, description: 'The current password.' }) }),
})

const DeleteAccountPayload = builder.objectRef<{ readonly finalAt: Date }>('DeleteAccountPayload').implement({
  description: 'The result of deleting an account.',
  fields: (t) => ({
    finalAt: t.field({
      type: 'DateTime',
      description: 'When its erasure begins. Until then, signing in takes the deletion back.',
      resolve: ({ finalAt }) => finalAt,
    }),
  }),
})

const viewerAfter = { type: User, description: 'The account after the change.', read: viewingUser }

const readViewer = (context: Context, info: GraphQLResolveInfo) =>
  readPayload(context, info, context.session.viewerId, 'read the viewer')

const UpdateProfilePayload = payloadOf(
  'UpdateProfilePayload',
  'The result of updating a profile.',
  'viewer',
  viewerAfter,
)
const ChangePasswordPayload = payloadOf(
  'ChangePasswordPayload',
  'The result of changing a password.',
  'viewer',
  viewerAfter,
)

builder.mutationFields((t) => ({
  signUp: t.field({
    type: SignInPayload,
    needsToken: false,
    description:
      'Creates an account and signs in to it. Requires no token. Errors: `CONFLICT` when the username is taken, `FORBIDDEN` when sign-up is closed, `RATE_LIMITED` after many accounts from one address, `UNAVAILABLE` when too many people are signing in.',
    extensions: { handlesSecrets: true },
    args: { input: t.arg({ type: SignUpInput, required: true, description: 'The account to create.' }) },
    resolve: async (_root, { input }, context, info) =>
      signedIn(await signUp(context.service, input, context.caller.identity.address), context, info),
  }),
  signIn: t.field({
    type: SignInPayload,
    needsToken: false,
    description:
      'Signs in. Requires no token. Takes back the deletion of the account before it is final. Errors: `INVALID_CREDENTIALS` when the username or the password is wrong, `RATE_LIMITED` after many wrong ones, `UNAVAILABLE` when too many people are signing in.',
    extensions: { handlesSecrets: true },
    args: { input: t.arg({ type: SignInInput, required: true, description: 'The credentials.' }) },
    resolve: async (_root, { input }, context, info) =>
      signedIn(await signIn(context.service, input, context.caller.identity.address), context, info),
  }),
  updateProfile: t.field({
    type: UpdateProfilePayload,
    permission: manageAccount,
    description: `Updates the viewer's profile. Errors: \`CONFLICT\` when the username is taken, or was changed in the last ${renameDays} days: its message says from when it can be changed again.`,
    args: { input: t.arg({ type: UpdateProfileInput, required: true, description: 'The changes.' }) },
    resolve: async (_root, { input }, context, info) => {
      await updateProfile(context.database, context.session, input)
      return readViewer(context, info)
    },
  }),
  changePassword: t.field({
    type: ChangePasswordPayload,
    permission: manageAccount,
    description:
      "Changes the viewer's password and revokes all their other tokens. Errors: `RATE_LIMITED` after many wrong current passwords, `UNAVAILABLE` when too many people are signing in.",
    extensions: { handlesSecrets: true },
    args: {
      input: t.arg({ type: ChangePasswordInput, required: true, description: 'The current password and the new one.' }),
    },
    resolve: async (_root, { input }, context, info) => {
      context.changedSessions.add(context.session.viewerId)
      await changePassword(context.service, context.session, input, context.caller.identity.address)
      return readViewer(context, info)
    },
  }),
  deleteAccount: t.field({
    type: DeleteAccountPayload,
    permission: manageAccount,
    description: `Deletes the account of the viewer with everything that it wrote, and revokes all its tokens. Nobody finds it any more; other server processes show it for up to ${staleness / 1_000} seconds. The numbers that others see, such as \`followerCount\`, fall when it is erased. Errors: \`RATE_LIMITED\` after many wrong passwords, \`UNAVAILABLE\` when too many people are signing in.`,
    extensions: { handlesSecrets: true },
    args: { input: t.arg({ type: DeleteAccountInput, required: true, description: 'The current password.' }) },
    resolve: async (_root, { input: { password } }, { service, session, caller }) => {
      const { address } = caller.identity
      const finalAt = await deleteOwnAccount(service, session, password, { address, days: service.deletionDelay })
      service.sessions.forgetAll()
      return { finalAt }
    },
  }),
}))
