import type { IssuedToken } from '../domain/access-tokens.ts'
import { changePassword, signIn, signUp, updateProfile } from '../domain/accounts.ts'
import { refusedCharacters } from '../domain/text.ts'
import { readingBack } from '../domain/writing.ts'
import { Refusal } from '../errors.ts'
import { AccessToken, bearerText } from './access-token.ts'
import { builder } from './builder.ts'
import { composed } from './composed.ts'
import { sessionOf } from './context.ts'
import { User, type UserRow } from './refs.ts'

const allowed = `without ${refusedCharacters}`

const SignUpInput = builder.inputType('SignUpInput', {
  description: 'A new account.',
  fields: (t) => ({
    username: t.string({
      required: true,
      description: 'Handle, unique without regard to case: 1 to 30 of A-Z, a-z, 0-9 and _.',
    }),
    email: t.field({
      type: 'EmailAddress',
      required: true,
      description: 'Shown to nobody else, but by default the avatar is derived from it.',
    }),
    password: t.string({ required: true, description: `8 to 128 characters ${allowed}.` }),
    displayName: t.string({
      description: `Name that is shown, 1 to 50 characters ${allowed}; the username when missing.`,
    }),
  }),
})

const SignInInput = builder.inputType('SignInInput', {
  description: 'Who signs in.',
  fields: (t) => ({
    username: t.string({ required: true, description: 'Handle, without regard to case.' }),
    password: t.string({ required: true, description: 'Password of the account.' }),
  }),
})

const SignInPayload = builder.objectRef<IssuedToken>('SignInPayload').implement({
  description: 'Somebody who has signed in.',
  fields: (t) => ({
    token: t.exposeString('token', {
      description: 'A bearer token with every scope, for 90 days. Shown this once.',
      ...bearerText,
    }),
    accessToken: t.expose('accessToken', { type: AccessToken, description: 'What is kept of it.' }),
    viewer: t.field({
      type: User,
      description: 'The account.',
      resolve: async ({ accessToken: { userId } }, _args, { reads }, info) =>
        composed<UserRow>(
          await readingBack('sign in', () => reads.as({ id: userId, readsEmail: true }).byId(info, userId)),
        ),
    }),
  }),
})

const UpdateProfileInput = builder.inputType('UpdateProfileInput', {
  description: 'Changes of a profile: at least one. What is null or missing stays.',
  fields: (t) => ({
    displayName: t.string({ description: `Name that is shown, 1 to 50 characters ${allowed}.` }),
    bio: t.string({ description: `What the user says of themself, at most 500 characters ${allowed}.` }),
  }),
})

const ChangePasswordInput = builder.inputType('ChangePasswordInput', {
  description: 'A change of password.',
  fields: (t) => ({
    currentPassword: t.string({ required: true, description: 'The password until now.' }),
    newPassword: t.string({ required: true, description: `The password from now on, 8 to 128 characters ${allowed}.` }),
  }),
})

const viewerPayload = (name: string, description: string) =>
  builder.objectRef<{ viewerId: string }>(name).implement({
    description,
    fields: (t) => ({
      viewer: t.field({
        type: User,
        description: 'The account as it is now.',
        resolve: async ({ viewerId }, _args, { reads }, info) =>
          composed<UserRow>(await readingBack('read the viewer', () => reads.byId(info, viewerId))),
      }),
    }),
  })

const UpdateProfilePayload = viewerPayload('UpdateProfilePayload', 'The profile that was changed.')
const ChangePasswordPayload = viewerPayload('ChangePasswordPayload', 'The account whose password was changed.')

builder.mutationFields((t) => ({
  signUp: t.field({
    type: SignInPayload,
    description:
      'Creates an account and signs it in. Needs no token. Errors: `CONFLICT` for a taken username, `FORBIDDEN` where sign-up is closed, `UNAVAILABLE` when too many sign in.',
    args: { input: t.arg({ type: SignUpInput, required: true, description: 'The account.' }) },
    resolve: (_root, { input }, context) => {
      if (!context.signUpIsOpen) throw new Refusal('FORBIDDEN', 'Sign-up is closed here.')
      return signUp(context, input, context.clientAddress())
    },
  }),
  signIn: t.field({
    type: SignInPayload,
    description:
      'Signs in. Needs no token. Errors: `UNAUTHENTICATED` for a wrong name or password alike, `UNAVAILABLE` when too many sign in.',
    args: { input: t.arg({ type: SignInInput, required: true, description: 'Who.' }) },
    resolve: (_root, { input }, context) => signIn(context, input, context.clientAddress()),
  }),
  updateProfile: t.field({
    type: UpdateProfilePayload,
    description: "Changes the viewer's profile.",
    args: { input: t.arg({ type: UpdateProfileInput, required: true, description: 'What to change.' }) },
    resolve: async (_root, { input }, context) => {
      await updateProfile(context.database, sessionOf(context), input)
      return sessionOf(context)
    },
  }),
  changePassword: t.field({
    type: ChangePasswordPayload,
    description:
      "Changes the viewer's password and revokes all their other tokens. Errors: `UNAVAILABLE` when too many sign in.",
    args: { input: t.arg({ type: ChangePasswordInput, required: true, description: 'The passwords.' }) },
    resolve: async (_root, { input }, context) => {
      const changing = changePassword(context, sessionOf(context), input, context.clientAddress())
      await context.sessions.forgetAfter(changing)
      return sessionOf(context)
    },
  }),
}))
