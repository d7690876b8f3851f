import { objectOfPayload } from '../../engine/compiler/field-reads.ts'
import { viewingUser } from '../accounts/reads.ts'
import { User } from '../accounts/schema.ts'
import { builder } from '../base/builder.ts'
import { writeAndRead } from '../base/payload.ts'
import { followUser } from '../base/permissions.ts'
import { answerRequest, endFollowing } from './requests.ts'

builder.relayMutationField(
  'answerFollowRequest',
  {
    description: 'An answer to a request.',
    inputFields: (t) => ({
      uuid: t.field({ type: 'UUID', required: true, description: 'The uuid of the account that asks.' }),
      accepted: t.boolean({ required: true, description: 'Whether it may follow the viewer.' }),
    }),
  },
  {
    permission: followUser,
    description:
      'Accepts or declines a request to follow the viewer. Accepting is idempotent. Errors: `NOT_FOUND`, also ' +
      'when there is no request.',
    resolve: async (_root, { input: { uuid, accepted } }, context, info) => {
      const { database, viewer } = context
      const [payload] = await writeAndRead(context, info, uuid, `read user ${uuid}`, (payload) =>
        answerRequest(database, viewer, uuid, accepted, payload),
      )
      return payload
    },
  },
  {
    outputFields: (t) => ({
      user: t.field({ type: User, description: 'The account that asked, after the answer.', read: objectOfPayload }),
      viewer: t.field({ type: User, description: 'The viewer after the answer.', read: viewingUser }),
    }),
  },
)

builder.relayMutationField(
  'removeFollower',
  {
    description: 'The follower to remove.',
    inputFields: (t) => ({
      uuid: t.field({ type: 'UUID', required: true, description: 'The uuid of the account that follows the viewer.' }),
    }),
  },
  {
    permission: followUser,
    description:
      'Removes a follower of the viewer, or the request of an account to follow them, without a block and ' +
      'without notifying the account. Idempotent. Errors: `NOT_FOUND`.',
    resolve: async (_root, { input: { uuid } }, context, info) => {
      const { database, viewer } = context
      const [payload] = await writeAndRead(context, info, uuid, `read user ${uuid}`, (payload) =>
        endFollowing(database, viewer, uuid, payload),
      )
      return payload
    },
  },
  {
    outputFields: (t) => ({
      user: t.field({ type: User, description: 'The account after the change.', read: objectOfPayload }),
      viewer: t.field({ type: User, description: 'The viewer after the change.', read: viewingUser }),
    }),
  },
)
