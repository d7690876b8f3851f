import { profileWithEmailFragment } from '../fragments.ts'
import { graphql } from '../graphql.ts'
import { operation } from '../operation.ts'
import { ownUser, user } from '../schemas/components.ts'
import { found, userObject } from '../shapes.ts'
import { apiVersions } from '../versions.ts'

/** Get user (section 4.2). */
export const getUser = operation({
  id: 'getUser',
  method: 'GET',
  path: '/user/{user}',
  version: apiVersions.posts,
  tag: 'Users',
  summary: 'Get a user',
  description:
    'Only the owner of the token sees `email` and `email_verified`, which are null without the scope `user.email`.',
  optionalScopes: ['user.email'],
  document: graphql('query GetUser($user: UserBy!) { user(by: $user) { ...ProfileWithEmail version } }', [
    profileWithEmailFragment,
  ]),
  response: {
    description: 'The user.',
    components: [ownUser, user],
    body: ({ user }, session) => userObject(found('user', user), session.viewerId),
  },
  tagged: { form: 'user', resource: ({ user }) => user },
  errors: ['NOT_FOUND'],
})
