import type { GraphQLResolveInfo } from 'graphql'
import { maxFollowing, setFollow } from '../domain/follows.ts'
import { followUser } from '../domain/permissions.ts'
import { objectOfPayload } from '../reads/read.ts'
import { builder } from './builder.ts'
import type { Context } from './context.ts'
import { type MutationPayload, readPayload } from './payload.ts'
import { User } from './user.ts'

const FollowAction = builder.enumType('FollowAction', {
  description: 'Whether a user was followed or unfollowed.',
  values: {
    FOLLOWED: { value: 'followed', description: 'The viewer now follows the user.' },
    UNFOLLOWED: { value: 'unfollowed', description: 'The viewer no longer follows the user.' },
  } as const,
})

const ToggleFollowInput = builder.inputType('ToggleFollowInput', {
  description: 'The user to follow or to unfollow.',
  fields: (t) => ({ uuid: t.field({ type: 'UUID', required: true, description: 'Identifier of the user.' }) }),
})

const SetFollowInput = builder.inputType('SetFollowInput', {
  description: 'The follow to set.',
  fields: (t) => ({
    uuid: t.field({ type: 'UUID', required: true, description: 'Identifier of the user.' }),
    followed: t.boolean({ required: true, description: 'Whether the viewer should follow them.' }),
  }),
})

type FollowRow = MutationPayload & { readonly action: 'followed' | 'unfollowed' }

const FollowPayload = builder.objectRef<FollowRow>('FollowPayload').implement({
  description: 'The result of following or unfollowing a user.',
  fields: (t) => ({
    action: t.expose('action', { type: FollowAction, description: 'What the mutation did.' }),
    user: t.field({ type: User, description: 'The user after the change.', read: objectOfPayload }),
  }),
})

async function follow(
  uuid: string,
  followed: boolean | null,
  context: Context,
  info: GraphQLResolveInfo,
): Promise<FollowRow> {
  const action = await setFollow(context.database, context.session, uuid, followed)
  return { ...(await readPayload(context, info, uuid, `read user ${uuid}`)), action }
}

const errors = `Errors: \`NOT_FOUND\`, \`CONFLICT\` when the viewer already follows ${maxFollowing} accounts.`

builder.mutationFields((t) => ({
  toggleFollow: t.field({
    type: FollowPayload,
    permission: followUser,
    description: `Follows a user, or unfollows them if the viewer already follows them. Not idempotent: \`setFollow\` is. ${errors}`,
    args: {
      input: t.arg({ type: ToggleFollowInput, required: true, description: 'The user to follow or to unfollow.' }),
    },
    resolve: (_root, { input: { uuid } }, context, info) => follow(uuid, null, context, info),
  }),
  setFollow: t.field({
    type: FollowPayload,
    permission: followUser,
    description: `Follows or unfollows a user. Idempotent. ${errors}`,
    args: { input: t.arg({ type: SetFollowInput, required: true, description: 'The follow to set.' }) },
    resolve: (_root, { input: { uuid, followed } }, context, info) => follow(uuid, followed, context, info),
  }),
}))
