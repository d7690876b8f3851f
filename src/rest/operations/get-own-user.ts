import { graphql, profileWithEmailFragment } from '../graphql.ts'
import { found, operation } from '../operation.ts'
import { ownUser, ownUserObject } from '../schemas/users.ts'

/** Get user without an identifier (section 4.2). */
export const getOwnUser = operation({
  route: 'GET /user',
  summary: 'Get the owner of the token',
  description: '`email` and `email_verified` are null without the scope `user.email`.',
  optionalScopes: ['user.email'],
  document: graphql('query GetOwnUser { viewer { ...ProfileWithEmail version } }', [profileWithEmailFragment]),
  response: {
    description: 'The owner of the token.',
    schema: ownUser,
    body: ({ viewer }) => ownUserObject(found('user', viewer)),
  },
  tagged: { form: 'user', resource: ({ viewer }) => viewer },
})
