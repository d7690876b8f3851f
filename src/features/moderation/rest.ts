import { z } from 'zod'
import { bodyOf } from '../../engine/rest/bodies.ts'
import { descriptionOf } from '../../engine/rest/descriptions.ts'
import { graphql } from '../../engine/rest/graphql.ts'
import { list } from '../../engine/rest/list.ts'
import { operation } from '../../engine/rest/operation.ts'
import { component, text, uuid } from '../../engine/rest/types.ts'
import { sampleUser } from '../accounts/rest-views.ts'
import { reasonBounds } from '../base/bounds.ts'
import { postView } from '../posts/rest-views.ts'
import { actView, eitherPost } from './rest-views.ts'

const suspensionAfter = {
  schema: component(
    'Suspension',
    'Whether a user is suspended.',
    {
      uuid: uuid.describe('The uuid of the user.'),
      suspended: z.boolean().describe('Whether the user is suspended.'),
    },
    { uuid: sampleUser.uuid, suspended: true },
  ),
  body: ({ changed: { user } }: { readonly changed: { readonly user: { uuid: string; suspendedAt: unknown } } }) => ({
    uuid: user.uuid,
    suspended: user.suspendedAt !== null,
  }),
}

/** Suspend user, for moderators. */
export const suspendUser = operation({
  route: 'POST /moderation/user/{user}/suspend',
  summary: 'Suspend a user',
  description:
    'The user can neither sign in nor use tokens, and only moderators find them and what they published. Moderators cannot be suspended.',
  body: bodyOf('SuspendUserBody', 'SuspendUserInput', { reason: text(reasonBounds) }, { reason: 'Advertising.' }),
  document: graphql(
    `mutation SuspendUser($uuid: UUID!, $reason: String!) {
      changed: suspendUser(input: { uuid: $uuid, reason: $reason }) { user { uuid suspendedAt } }
    }`,
  ),
  response: suspensionAfter,
  errors: ['FORBIDDEN'],
})

/** Reinstate user, for moderators. */
export const reinstateUser = operation({
  route: 'POST /moderation/user/{user}/reinstate',
  summary: 'Lift the suspension of a user',
  description: 'The user can sign in again, and their tokens work again. A body is ignored.',
  document: graphql(
    `mutation ReinstateUser($uuid: UUID!) {
      changed: reinstateUser(input: { uuid: $uuid }) { user { uuid suspendedAt } }
    }`,
  ),
  response: suspensionAfter,
  errors: ['FORBIDDEN'],
})

/** Remove post, for moderators. */
export const removePost = operation({
  route: 'DELETE /moderation/post/{uuid}',
  summary: 'Remove a post or a reply of any user',
  description: 'Its replies remain. Posts and replies of moderators cannot be removed.',
  scopes: eitherPost,
  query: {
    reason: {
      description: descriptionOf('RemovePublicationInput', 'reason'),
      required: true,
      schema: text(reasonBounds),
      example: 'Advertising.',
    },
  },
  document: graphql(
    `mutation RemovePost($uuid: UUID!, $reason: String!) {
      removePublication(input: { uuid: $uuid, reason: $reason }) { publication { ...Post } }
    }`,
    [postView.fragment],
  ),
  response: {
    description: 'The post as it was before.',
    schema: postView.schema,
    body: ({ removePublication }) => postView.object(removePublication.publication),
  },
  errors: ['FORBIDDEN'],
})

/** Get moderation log, for moderators. */
export const getModerationLog = list('ModerationLog', {
  route: 'GET /moderation/log/{page}',
  summary: 'Get the moderation log',
  field: 'moderationLog',
  property: 'log',
  view: actView,
})
