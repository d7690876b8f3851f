import { graphql } from '../../engine/rest/graphql.ts'
import { list } from '../../engine/rest/list.ts'
import { descriptionOf } from '../../engine/rest/openapi/resolve.ts'
import { operation } from '../../engine/rest/operation.ts'
import { appealView, ownAppealView } from './rest-views.ts'

/** Appeal, which the interface does not have. */
export const sendAppeal = operation({
  route: 'POST /appeal',
  summary: 'Appeal against the suspension of the account',
  description: 'Asks the moderators to end the suspension of the account. One appeal can be open at a time.',
  body: { example: { text: 'It was not me who wrote that.' } },
  document: graphql(
    `mutation SendAppeal($text: String!) {
      appeal(input: { text: $text }) { appeal { ...OwnAppeal } }
    }`,
    [ownAppealView.fragment],
  ),
  view: ownAppealView,
  of: ({ appeal }) => appeal.appeal,
  errors: ['FORBIDDEN', 'CONFLICT'],
})

/** Get the appeals of the viewer, which the interface does not have. */
export const getOwnAppeals = list('OwnAppeals', {
  route: 'GET /appeals/{page}',
  summary: 'Get the appeals of the viewer',
  description: descriptionOf('User', 'appeals'),
  owner: {
    type: 'User',
    field: 'viewer',
    variables: '',
    key: 'uuid',
    property: 'user',
    description: 'The uuid of the viewer.',
  },
  field: 'appeals',
  items: 'The appeals, newest first.',
  view: ownAppealView,
})

/** Get appeals, for moderators. */
export const getAppeals = list('Appeals', {
  route: 'GET /moderation/appeals/{page}',
  summary: 'Get appeals',
  query: {
    state: { example: 'open' },
  },
  field: 'appeals',
  filter: { arguments: 'state: $state', variables: '$state: AppealState! = OPEN' },
  view: appealView,
})

/** Answer appeal, for moderators. */
export const answerAppeal = operation({
  route: 'PATCH /moderation/appeal/{appeal}',
  summary: 'Answer an appeal',
  description: 'With `accept`, the suspension ends. Moderators cannot answer the appeals of moderators.',
  body: { example: { accept: true, answer: 'You are right. We are sorry.' } },
  document: graphql(
    `mutation AnswerAppeal($uuid: UUID!, $accept: Boolean!, $answer: String!) {
      answerAppeal(input: { uuid: $uuid, accept: $accept, answer: $answer }) { appeal { ...Appeal } }
    }`,
    [appealView.fragment],
  ),
  view: appealView,
  of: ({ answerAppeal }) => answerAppeal.appeal,
  errors: ['FORBIDDEN', 'CONFLICT'],
})
