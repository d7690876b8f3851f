import { z } from 'zod'
import { maxFollowing } from '../../domain/follows.ts'
import { graphql } from '../graphql.ts'
import { found, operation, toggles } from '../operation.ts'
import { components, uuid } from '../schemas/types.ts'
import { sampleUser } from '../schemas/users.ts'

const followAction = z.enum({ FOLLOWED: 'followed', UNFOLLOWED: 'unfollowed' })

/** Follow/unfollow (section 4.2). */
export const toggleFollow = operation({
  route: 'POST /user/{user}/follow',
  summary: 'Follow or unfollow a user',
  description: `${toggles} Users cannot follow themselves, or more than ${maxFollowing} accounts.`,
  lookup: {
    document: graphql('query FindUser($user: UserBy!) { user(by: $user) { uuid } }'),
    // A `{user}` that is a uuid has set `$uuid` already.
    isNeeded: ({ uuid }) => uuid === undefined,
    variables: ({ user }) => ({ uuid: found('user', user).uuid }),
  },
  document: graphql('mutation ToggleFollow($uuid: UUID!) { toggleFollow(input: { uuid: $uuid }) { action } }'),
  response: {
    description: 'Whether the user was followed or unfollowed.',
    schema: z
      .object({
        action: followAction.describe('The action that was taken.'),
        uuid: uuid.describe('The uuid of the user.'),
      })
      .describe('The result of following or unfollowing a user.')
      .register(components, { id: 'FollowToggle', example: { action: 'followed', uuid: sampleUser.uuid } }),
    body: ({ toggleFollow }, _session, { uuid }) => ({
      action: followAction.enum[toggleFollow.action],
      uuid: String(uuid).toLowerCase(),
    }),
  },
  errors: ['CONFLICT', 'VALIDATION_FAILED'],
})
