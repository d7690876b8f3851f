import { profileWithEmailFragment } from '../fragments.ts'
import { graphql } from '../graphql.ts'
import { operation } from '../operation.ts'
import { ownUser } from '../schemas/components.ts'
import { found, userObject } from '../shapes.ts'
import { apiVersions } from '../versions.ts'

/** Get user without an identifier (section 4.2). */
export const getOwnUser = operation({
  id: 'getOwnUser',
  method: 'GET',
  path: '/user',
  version: apiVersions.posts,
  tag: 'Users',
  summary: 'Get the owner of the token',
  description: '`email` and `email_verified` are null without the scope `user.email`.',
  optionalScopes: ['user.email'],
  document: graphql('query GetViewer { viewer { ...ProfileWithEmail version } }', [profileWithEmailFragment]),
  response: {
    description: 'The owner of the token.',
    components: [ownUser],
    body: ({ viewer }, session) => userObject(found('user', viewer), session.viewerId),
  },
  tagged: { form: 'user', resource: ({ viewer }) => viewer },
  errors: [],
})
