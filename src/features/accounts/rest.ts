import { z } from 'zod'
import { graphql } from '../../engine/rest/graphql.ts'
import { found, operation } from '../../engine/rest/operation.ts'
import { editable, ownUserView, userView } from './rest-views.ts'

/** Get user without an identifier (section 4.2). */
export const getOwnUser = operation({
  route: 'GET /user',
  summary: 'Get the viewer',
  description: '`email` and `email_verified` are null without the scope `user.email`.',
  optionalScopes: ['user.email'],
  document: graphql('query GetOwnUser { viewer { ...OwnUser editedAt } }', [ownUserView.fragment]),
  response: {
    schema: ownUserView.schema,
    body: ({ viewer }) => ownUserView.object(found('user', viewer)),
  },
  tagged: { resource: ({ viewer }) => viewer && editable(viewer) },
})

/** Get user (section 4.2). */
export const getUser = operation({
  route: 'GET /user/{user}',
  summary: 'Get a user',
  description: 'Only the viewer sees `email` and `email_verified`, which are null without the scope `user.email`.',
  optionalScopes: ['user.email'],
  document: graphql('query GetUser($user: UserBy!) { user(by: $user) { ...OwnUser } }', [ownUserView.fragment]),
  response: {
    description: 'The user.',
    schema: z.union([ownUserView.schema, userView.schema]),
    body: (data, viewer) => {
      const user = found('user', data.user)
      return user.uuid === viewer.id ? ownUserView.object(user) : userView.object(user)
    },
  },
  tagged: { resource: ({ user }) => user },
})
