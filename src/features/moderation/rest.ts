import { graphql } from '../../engine/rest/graphql.ts'
import { list } from '../../engine/rest/list.ts'
import { operation } from '../../engine/rest/operation.ts'
import { computed, view } from '../../engine/rest/view.ts'
import { sampleUser } from '../accounts/rest-views.ts'
import { postView, samplePost } from '../posts/rest-views.ts'
import { maxOpenReports } from './reports.ts'
import { actView, eitherPost, reportView, sentReportView } from './rest-views.ts'

const suspensionView = view(
  'Suspension',
  'User',
  'Whether a user is suspended.',
  { uuid: sampleUser.uuid, suspendedAt: '2026-07-27T10:00:00.000Z' },
  {
    uuid: ['uuid', undefined, { description: 'The uuid of the user.' }],
    suspended: computed(
      graphql('fragment SuspensionOfUser on User { suspendedAt }'),
      ({ suspendedAt }) => suspendedAt !== null,
      { type: 'boolean', description: 'Whether the user is suspended.' },
    ),
  },
)

const suspensionAfter = {
  view: suspensionView,
  of: ({ changed: { user } }: { readonly changed: { readonly user: Parameters<typeof suspensionView.object>[0] } }) =>
    user,
}

/** Suspend user, for moderators. */
export const suspendUser = operation({
  route: 'POST /moderation/user/{user}/suspend',
  summary: 'Suspend a user',
  description:
    'The user can only read, export and delete their own account, and only moderators find them and what they published. ' +
    'If the user is already suspended, the first reason is kept. Moderators cannot be suspended.',
  body: { example: { reason: 'Advertising.' } },
  document: graphql(
    `mutation SuspendUser($uuid: UUID!, $reason: String!) {
      changed: suspendUser(input: { uuid: $uuid, reason: $reason }) { user { ...Suspension } }
    }`,
    [suspensionView.fragment],
  ),
  ...suspensionAfter,
  errors: ['FORBIDDEN'],
})

/** Reinstate user, for moderators. */
export const reinstateUser = operation({
  route: 'POST /moderation/user/{user}/reinstate',
  summary: 'Lift the suspension of a user',
  description: 'The user is visible, and their tokens and applications work again. A body is ignored.',
  document: graphql(
    `mutation ReinstateUser($uuid: UUID!) {
      changed: reinstateUser(input: { uuid: $uuid }) { user { ...Suspension } }
    }`,
    [suspensionView.fragment],
  ),
  ...suspensionAfter,
  errors: ['FORBIDDEN'],
})

/** Remove post, for moderators. */
export const removePost = operation({
  route: 'DELETE /moderation/post/{uuid}',
  summary: 'Remove a post or a reply of any user',
  description: 'Its replies remain. Posts and replies of moderators cannot be removed.',
  scopes: eitherPost,
  query: {
    reason: { example: 'Advertising.' },
  },
  document: graphql(
    `mutation RemovePost($uuid: UUID!, $reason: String!) {
      removePublication(input: { uuid: $uuid, reason: $reason }) { publication { ...Post } }
    }`,
    [postView.fragment],
  ),
  view: postView,
  of: ({ removePublication }) => removePublication.publication,
  result: 'The post as it was before.',
  errors: ['FORBIDDEN'],
})

/** Add warning, for moderators. */
export const addWarning = operation({
  route: 'PATCH /moderation/post/{uuid}',
  summary: 'Give a post or a reply of any user a warning',
  description:
    'In place of the one that it may have. Its author can still change it. Posts and replies of moderators cannot get one.',
  scopes: eitherPost,
  body: { example: { warning: 'Spoilers', reason: 'Reveals the end of a book.' } },
  document: graphql(
    `mutation AddWarning($uuid: UUID!, $warning: String!, $reason: String!) {
      addWarning(input: { uuid: $uuid, warning: $warning, reason: $reason }) { publication { ...Post } }
    }`,
    [postView.fragment],
  ),
  view: postView,
  of: ({ addWarning }) => addWarning.publication,
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

/** Report, which the interface does not have. */
export const sendReport = operation({
  route: 'POST /report',
  summary: 'Report a user, a post or a reply',
  description:
    'Reports it to the moderators, who alone see who sent the report; an account has at most ' +
    `${maxOpenReports} open reports. While the report is open, reporting the same again returns it.`,
  body: { example: { uuid: samplePost.uuid, reason: 'spam' } },
  document: graphql(
    `mutation SendReport($uuid: UUID!, $reason: ReportReason!, $comment: String) {
      report(input: { uuid: $uuid, reason: $reason, comment: $comment }) { report { ...SentReport } }
    }`,
    [sentReportView.fragment],
  ),
  view: sentReportView,
  of: ({ report }) => report.report,
  errors: ['NOT_FOUND', 'CONFLICT'],
})

/** Get reports, for moderators. */
export const getReports = list('Reports', {
  route: 'GET /moderation/reports/{page}',
  summary: 'Get reports',
  query: {
    state: { example: 'open' },
  },
  scopes: eitherPost,
  field: 'reports',
  filter: { arguments: 'state: $state', variables: '$state: ReportState! = OPEN' },
  view: reportView,
})

/** Close report, for moderators. */
export const closeReport = operation({
  route: 'PATCH /moderation/report/{report}',
  summary: 'Close a report',
  description: 'Closes a report with a note. Moderators cannot close reports about moderators.',
  scopes: eitherPost,
  body: { example: { note: 'Removed.' } },
  document: graphql(
    `mutation CloseReport($uuid: UUID!, $note: String!) {
      closeReport(input: { uuid: $uuid, note: $note }) { report { ...Report } }
    }`,
    [reportView.fragment],
  ),
  view: reportView,
  of: ({ closeReport }) => closeReport.report,
  errors: ['FORBIDDEN', 'CONFLICT'],
})

const changeOfApplication = {
  view: view(
    'ChangedApplication',
    'RefuseApplicationPayload',
    'Whether this changed anything.',
    { changed: true },
    { changed: 'changed' },
  ),
  of: ({ done }: { readonly done: { readonly changed: boolean } }) => done,
  errors: ['FORBIDDEN', 'VALIDATION_FAILED'],
} as const

/** Refuse application, for moderators. */
export const refuseApplication = operation({
  route: 'POST /moderation/application/{client}/refuse',
  summary: 'Refuse an application, or all applications of a host',
  description:
    'It can neither connect to accounts nor get tokens, and its tokens are refused. Applications of suspended users are always refused. ' +
    'Idempotent. Applications of moderators cannot be refused.',
  body: { example: { reason: 'Advertising.' } },
  document: graphql(
    `mutation RefuseApplication($by: ApplicationBy!, $reason: String!) {
      done: refuseApplication(input: { by: $by, reason: $reason }) { changed }
    }`,
  ),
  ...changeOfApplication,
})

/** Readmit application, for moderators. */
export const readmitApplication = operation({
  route: 'POST /moderation/application/{client}/readmit',
  summary: 'Lift the refusal of an application or a host',
  description: 'Its tokens work again. Idempotent. A body is ignored.',
  document: graphql(
    `mutation ReadmitApplication($by: ApplicationBy!) {
      done: readmitApplication(input: { by: $by }) { changed }
    }`,
  ),
  ...changeOfApplication,
})
