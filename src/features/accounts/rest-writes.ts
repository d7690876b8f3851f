import { bodyOf, changesOf } from '../../engine/rest/bodies.ts'
import { descriptionOf } from '../../engine/rest/descriptions.ts'
import { graphql } from '../../engine/rest/graphql.ts'
import { operation } from '../../engine/rest/operation.ts'
import { component, nameWith, seconds, text, time } from '../../engine/rest/types.ts'
import { bioBounds, nameBounds, passwordBounds } from '../base/bounds.ts'
import { renameDays } from '../base/username.ts'
import { editable, ownUserView, sampleUser, username } from './rest-views.ts'

/** Update user, which the interface does not have. */
export const updateUser = operation({
  route: 'PATCH /user',
  summary: 'Update the viewer',
  description: `Changes the profile of the viewer. The username can be changed once in ${renameDays} days; the 409 before then says when.`,
  optionalScopes: ['user.email'],
  body: changesOf(
    'UpdateUserBody',
    'UpdateProfileInput',
    { username: username.nullish(), display_name: nameWith(nameBounds).nullish(), bio: text(bioBounds).nullish() },
    { display_name: sampleUser.displayName },
  ),
  document: graphql(
    `mutation UpdateUser($username: String, $display_name: String, $bio: String, $ifUnchangedSince: DateTime) {
      updateProfile(
        input: { username: $username, displayName: $display_name, bio: $bio, ifUnchangedSince: $ifUnchangedSince }
      ) { viewer { ...OwnUser editedAt } }
    }`,
    [ownUserView.fragment],
  ),
  response: {
    schema: ownUserView.schema,
    body: ({ updateProfile }) => ownUserView.object(updateProfile.viewer),
  },
  tagged: { resource: ({ updateProfile }) => editable(updateProfile.viewer) },
  errors: ['CONFLICT'],
})

/** Delete user, which the interface does not have. */
export const deleteUser = operation({
  route: 'DELETE /user',
  summary: 'Delete the viewer',
  description: 'Deletes the account with everything that it wrote, and revokes all its tokens. It is hidden at once.',
  body: bodyOf(
    'DeleteUserBody',
    'DeleteAccountInput',
    { password: text(passwordBounds) },
    { password: 'correct horse battery staple' },
  ),
  document: graphql(
    `mutation DeleteUser($password: String!, $ifUnchangedSince: DateTime) {
      deleteAccount(input: { password: $password, ifUnchangedSince: $ifUnchangedSince }) { finalAt }
    }`,
  ),
  response: {
    schema: component(
      'DeletedUser',
      'The deletion of an account.',
      { final_at: time.describe(`${descriptionOf('DeleteAccountPayload', 'finalAt')} In Unix seconds.`) },
      { final_at: 1785150000 },
    ),
    body: ({ deleteAccount }) => ({ final_at: seconds(deleteAccount.finalAt) }),
  },
})
