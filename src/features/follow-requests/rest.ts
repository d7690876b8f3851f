import { graphql } from '../../engine/rest/graphql.ts'
import { list } from '../../engine/rest/list.ts'
import { operation } from '../../engine/rest/operation.ts'
import { sampleViewer, userOwner, userView } from '../accounts/rest-views.ts'

const ownList = {
  description: 'One page, newest request first. The requests of another user are refused with 403.',
  owner: userOwner,
  ownerExample: sampleViewer.uuid,
  property: 'requests',
  items: 'The users, newest request first.',
  view: userView,
  errors: ['FORBIDDEN'],
} as const

/** Get the requests to follow the viewer, which the interface does not have. */
export const getFollowRequests = list('FollowRequests', {
  ...ownList,
  route: 'GET /user/{user}/requests/{page}',
  summary: 'Get the accounts that ask to follow the viewer',
  field: 'followRequests',
})

/** Get the requests of the viewer, which the interface does not have. */
export const getSentFollowRequests = list('SentFollowRequests', {
  ...ownList,
  route: 'GET /user/{user}/sent-requests/{page}',
  summary: 'Get the accounts that the viewer asks to follow',
  field: 'sentFollowRequests',
})

/** Answer a request to follow the viewer, which the interface does not have. */
export const answerFollowRequest = operation({
  route: 'PUT /user/{user}/request',
  summary: 'Accept or decline a request',
  description:
    'Answers the request of a user to follow the viewer. Without a request, this is 404, unless it was accepted already.',
  body: { example: { accepted: true } },
  document: graphql(
    `mutation AnswerFollowRequest($uuid: UUID!, $accepted: Boolean!) {
      answerFollowRequest(input: { uuid: $uuid, accepted: $accepted }) { user { ...User } }
    }`,
    [userView.fragment],
  ),
  view: userView,
  of: ({ answerFollowRequest }) => answerFollowRequest.user,
})

/** Remove a follower of the viewer, which the interface does not have. */
export const removeFollower = operation({
  route: 'DELETE /user/{user}/follower',
  summary: 'Remove a follower',
  description:
    'Removes a follower of the viewer, or the request of a user to follow them, without a block and without notifying the user.',
  document: graphql(
    `mutation RemoveFollower($uuid: UUID!) {
      removeFollower(input: { uuid: $uuid }) { user { ...User } }
    }`,
    [userView.fragment],
  ),
  view: userView,
  of: ({ removeFollower }) => removeFollower.user,
})
