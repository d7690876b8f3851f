import { graphql } from '../../engine/rest/graphql.ts'
import { operation } from '../../engine/rest/operation.ts'
import { seconds, view } from '../../engine/rest/view.ts'
import { renameDays } from '../base/username.ts'
import { editable, ownUserView, sampleUser, userView } from './rest-views.ts'

/** Get user without an identifier (section 4.2). */
export const getOwnUser = operation({
  route: 'GET /user',
  summary: 'Get the viewer',
  description: '`email` and `email_verified` are null without the scope `user.email`.',
  optionalScopes: ['user.email'],
  document: graphql('query GetOwnUser { viewer { ...OwnUser editedAt } }', [ownUserView.fragment]),
  view: ownUserView,
  of: ({ viewer }) => viewer,
  tagged: { resource: ({ viewer }) => viewer && editable(viewer) },
})

/** Get user (section 4.2). */
export const getUser = operation({
  route: 'GET /user/{user}',
  summary: 'Get a user',
  description: 'Only the viewer sees `email` and `email_verified`, which are null without the scope `user.email`.',
  optionalScopes: ['user.email'],
  document: graphql('query GetUser($user: UserBy!) { user(by: $user) { ...OwnUser } }', [ownUserView.fragment]),
  view: {
    description: 'The user.',
    schema: { anyOf: [ownUserView.schema, userView.schema] },
    examples: { ...ownUserView.examples, ...userView.examples },
    object: (user: Parameters<typeof ownUserView.object>[0], asked) =>
      user.uuid === asked.viewer.id ? ownUserView.object(user, asked) : userView.object(user, asked),
  },
  of: ({ user }) => user,
  tagged: { resource: ({ user }) => user },
})

/** Update user, which the interface does not have. */
export const updateUser = operation({
  route: 'PATCH /user',
  summary: 'Update the viewer',
  description: `Changes the profile of the viewer. The username can be changed once in ${renameDays} days; the 409 before then says when.`,
  optionalScopes: ['user.email'],
  body: { example: { display_name: sampleUser.displayName } },
  document: graphql(
    `mutation UpdateUser(
      $username: String, $display_name: String, $bio: String, $is_private: Boolean, $language: LanguageTag,
      $reading_languages: [LanguageTag!], $ifUnchangedSince: DateTime
    ) {
      updateProfile(
        input: {
          username: $username, displayName: $display_name, bio: $bio, isPrivate: $is_private, language: $language,
          readingLanguages: $reading_languages, ifUnchangedSince: $ifUnchangedSince
        }
      ) { viewer { ...OwnUser editedAt } }
    }`,
    [ownUserView.fragment],
  ),
  view: ownUserView,
  of: ({ updateProfile }) => updateProfile.viewer,
  tagged: { resource: ({ updateProfile }) => editable(updateProfile.viewer) },
  errors: ['CONFLICT'],
})

const deletedUserView = view(
  'DeletedUser',
  'DeleteAccountPayload',
  'The deletion of an account.',
  { finalAt: '2026-07-27T11:00:00.000Z' },
  { final_at: ['finalAt', seconds] },
)

/** Delete user, which the interface does not have. */
export const deleteUser = operation({
  route: 'DELETE /user',
  summary: 'Delete the viewer',
  description: 'Deletes the account with everything that it wrote, and revokes all its tokens. It is hidden at once.',
  body: { example: { password: 'correct horse battery staple' } },
  document: graphql(
    `mutation DeleteUser($password: String!, $code: String, $ifUnchangedSince: DateTime) {
      deleteAccount(input: { password: $password, code: $code, ifUnchangedSince: $ifUnchangedSince }) { ...DeletedUser }
    }`,
    [deletedUserView.fragment],
  ),
  view: deletedUserView,
  of: ({ deleteAccount }) => deleteAccount,
  errors: ['SECOND_FACTOR_REQUIRED', 'FORBIDDEN'],
})
