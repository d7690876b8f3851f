import { bioBounds } from '../../domain/accounts.ts'
import { nameBounds } from '../../domain/text.ts'
import { renameDays, usernameKeptDays } from '../../domain/username.ts'
import { graphql } from '../graphql.ts'
import { operation } from '../operation.ts'
import { changesOf } from '../schemas/bodies.ts'
import { components, newText } from '../schemas/types.ts'
import { ownUserView, sampleUser, username } from '../schemas/users.ts'

/** Update user, which the interface does not have. */
export const updateUser = operation({
  route: 'PATCH /user',
  summary: 'Update the owner of the token',
  description: `The profile of the owner of the token. The username can be changed once in ${renameDays} days: the 409 of a further change says from when. The old one stays theirs for ${usernameKeptDays} days: it still finds them, and they can go back to it.`,
  optionalScopes: ['user.email'],
  body: changesOf({
    username: username.nullish().describe('The handle. Unique regardless of case.'),
    display_name: newText(nameBounds).nullish().describe('The display name.'),
    bio: newText(bioBounds).nullish().describe('The biography.'),
  }).register(components, { id: 'UpdateUserBody', example: { display_name: sampleUser.displayName } }),
  document: graphql(
    `mutation UpdateUser($username: String, $display_name: String, $bio: String) {
      updateProfile(input: { username: $username, displayName: $display_name, bio: $bio }) { viewer { ...OwnUser } }
    }`,
    [ownUserView.fragment],
  ),
  response: {
    description: 'The owner of the token, after the changes.',
    schema: ownUserView.schema,
    body: ({ updateProfile }) => ownUserView.object(updateProfile.viewer),
  },
  tagged: { resource: ({ updateProfile }) => updateProfile.viewer },
  errors: ['CONFLICT'],
})
