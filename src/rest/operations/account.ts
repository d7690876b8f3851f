import { z } from 'zod'
import { bioBounds, passwordBounds } from '../../domain/accounts.ts'
import { renameDays, usernameKeptDays } from '../../domain/username.ts'
import { graphql } from '../graphql.ts'
import { operation } from '../operation.ts'
import { changesOf, newObject } from '../schemas/bodies.ts'
import { components, newName, newText, seconds, time } from '../schemas/types.ts'
import { ownUserView, sampleUser, username } from '../schemas/users.ts'

/** Update user, which the interface does not have. */
export const updateUser = operation({
  route: 'PATCH /user',
  summary: 'Update the owner of the token',
  description: `The profile of the owner of the token. The username can be changed once in ${renameDays} days: the 409 of a further change says from when. The old one stays theirs for ${usernameKeptDays} days: it still finds them, and they can go back to it.`,
  optionalScopes: ['user.email'],
  body: changesOf({
    username: username.nullish().describe('The handle. Unique regardless of case.'),
    display_name: newName.nullish().describe('The display name.'),
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

/** Delete user, which the interface does not have. */
export const deleteUser = operation({
  route: 'DELETE /user',
  summary: 'Delete the owner of the token',
  description:
    'Deletes the account with everything that it wrote, and revokes all its tokens. Nobody finds it any more.',
  body: newObject({ password: newText(passwordBounds).describe('The current password.') }).register(components, {
    id: 'DeleteUserBody',
    example: { password: 'correct horse battery staple' },
  }),
  document: graphql(
    'mutation DeleteUser($password: String!) { deleteAccount(input: { password: $password }) { finalAt } }',
  ),
  response: {
    description: 'The account is deleted.',
    schema: z
      .object({
        final_at: time.describe(
          'When its erasure begins, in Unix seconds. Until then, signing in takes the deletion back.',
        ),
      })
      .describe('The deletion of an account.')
      .register(components, { id: 'DeletedUser', example: { final_at: 1785150000 } }),
    body: ({ deleteAccount }) => ({ final_at: seconds(deleteAccount.finalAt) }),
  },
})
