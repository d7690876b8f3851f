import { z } from 'zod'
import { graphql, profileWithEmailFragment } from '../graphql.ts'
import { found, operation } from '../operation.ts'
import { ownUser, ownUserObject, user, userObject } from '../schemas/users.ts'

/** Get user (section 4.2). */
export const getUser = operation({
  route: 'GET /user/{user}',
  summary: 'Get a user',
  description:
    'Only the owner of the token sees `email` and `email_verified`, which are null without the scope `user.email`.',
  optionalScopes: ['user.email'],
  document: graphql('query GetUser($user: UserBy!) { user(by: $user) { ...ProfileWithEmail version } }', [
    profileWithEmailFragment,
  ]),
  response: {
    description: 'The user.',
    schema: z.union([ownUser, user]),
    body: (data, { viewerId }) => {
      const user = found('user', data.user)
      return user.uuid === viewerId ? ownUserObject(user) : userObject(user)
    },
  },
  tagged: { form: 'user', resource: ({ user }) => user },
})
