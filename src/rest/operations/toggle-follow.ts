import { maxFollowing } from '../../domain/follows.ts'
import { graphql } from '../graphql.ts'
import { operation } from '../operation.ts'
import { toggles } from '../operation-texts.ts'
import { objectOf, oneOfWords, uuid } from '../schemas/json-schema.ts'
import { sampleUser } from '../schemas/samples.ts'
import { found, toggled } from '../shapes.ts'
import { apiVersions } from '../versions.ts'

/** Follow/unfollow (section 4.2). */
export const toggleFollow = operation({
  id: 'toggleFollow',
  method: 'POST',
  path: '/user/{user}/follow',
  version: apiVersions.posts,
  tag: 'Users',
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
    components: [
      {
        name: 'FollowToggle',
        schema: objectOf<ReturnType<typeof toggled>>('The result of following or unfollowing a user.', {
          action: oneOfWords(['followed', 'unfollowed'], 'The action that was taken.'),
          uuid: uuid('The uuid of the user.'),
        }),
        example: toggled('FOLLOWED', sampleUser.uuid),
      },
    ],
    body: ({ toggleFollow }, _session, { uuid }) => toggled(toggleFollow.action, uuid),
  },
  errors: ['NOT_FOUND', 'CONFLICT', 'VALIDATION_FAILED', 'OUTCOME_UNKNOWN'],
})
