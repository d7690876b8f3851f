import type { GraphQLResolveInfo } from 'graphql'
import { maxFollowing, setFollow } from '../domain/follows.ts'
import { userOfPayload } from '../reads/users.ts'
import { builder } from './builder.ts'
import { type Changed, changed, changedBy } from './composed.ts'
import { type Context, sessionOf } from './context.ts'
import { User, type UserRow } from './refs.ts'

const FollowAction = builder.enumType('FollowAction', {
  description: 'Whether the viewer follows the user now.',
  values: {
    FOLLOWED: { value: 'followed', description: 'The viewer follows the user now.' },
    UNFOLLOWED: { value: 'unfollowed', description: 'The viewer does not follow the user now.' },
  } as const,
})

const ToggleFollowInput = builder.inputType('ToggleFollowInput', {
  description: 'Which follow to flip.',
  fields: (t) => ({ uuid: t.field({ type: 'UUID', required: true, description: 'Which user.' }) }),
})

const SetFollowInput = builder.inputType('SetFollowInput', {
  description: 'Which follow to set.',
  fields: (t) => ({
    uuid: t.field({ type: 'UUID', required: true, description: 'Which user.' }),
    followed: t.boolean({ required: true, description: 'Whether the viewer is to follow them.' }),
  }),
})

type FollowRow = Changed & { readonly action: 'followed' | 'unfollowed' }

const FollowPayload = builder.objectRef<FollowRow>('FollowPayload').implement({
  description: 'The result of following or unfollowing a user.',
  fields: (t) => ({
    action: t.expose('action', { type: FollowAction, description: 'What was done.' }),
    user: t.field({ type: User, description: 'The user as they are now.', ...changed<UserRow>(userOfPayload, 'user') }),
  }),
})

async function follow(
  uuid: string,
  followed: boolean | null,
  context: Context,
  info: GraphQLResolveInfo,
): Promise<FollowRow> {
  const action = await setFollow(context.database, sessionOf(context), uuid, followed)
  return { changed: await changedBy(context, info, uuid, `read user ${uuid}`), action }
}

const errors = `Errors: \`NOT_FOUND\`, \`CONFLICT\` when the viewer follows ${maxFollowing} accounts already.`

builder.mutationFields((t) => ({
  toggleFollow: t.field({
    type: FollowPayload,
    description: `Follows a user, or unfollows them when the viewer follows them. Not idempotent: see \`setFollow\`. ${errors}`,
    args: { input: t.arg({ type: ToggleFollowInput, required: true, description: 'Which follow to flip.' }) },
    resolve: (_root, { input: { uuid } }, context, info) => follow(uuid, null, context, info),
  }),
  setFollow: t.field({
    type: FollowPayload,
    description: `Follows or unfollows a user, whatever was before. ${errors}`,
    args: { input: t.arg({ type: SetFollowInput, required: true, description: 'Which follow to set.' }) },
    resolve: (_root, { input: { uuid, followed } }, context, info) => follow(uuid, followed, context, info),
  }),
}))
