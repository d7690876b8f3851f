import { bodyOf } from '../../engine/rest/bodies.ts'
import { graphql } from '../../engine/rest/graphql.ts'
import { list } from '../../engine/rest/list.ts'
import { operation } from '../../engine/rest/operation.ts'
import { sentUuid, text } from '../../engine/rest/types.ts'
import { commentBounds, reasonBounds } from '../base/bounds.ts'
import { samplePost } from '../posts/rest-views.ts'
import { maxOpenReports } from './reports.ts'
import { eitherPost, reason, reportView, sentReportView, state } from './rest-views.ts'

/** Report, which the interface does not have. */
export const sendReport = operation({
  route: 'POST /report',
  summary: 'Report a user, a post or a reply',
  description: `Reports it to the moderators, who alone see who sent the report; an account has at most ${maxOpenReports} open reports. While the report is open, reporting the same again returns it.`,
  body: bodyOf(
    'SendReportBody',
    'ReportInput',
    { uuid: sentUuid, reason, comment: text(commentBounds).nullish() },
    { uuid: samplePost.uuid, reason: 'spam' },
  ),
  document: graphql(
    `mutation SendReport($uuid: UUID!, $reason: ReportReason!, $comment: String) {
      report(input: { uuid: $uuid, reason: $reason, comment: $comment }) { report { ...SentReport } }
    }`,
    [sentReportView.fragment],
  ),
  response: {
    schema: sentReportView.schema,
    body: ({ report }) => sentReportView.object(report.report),
  },
  errors: ['NOT_FOUND', 'CONFLICT'],
})

/** Get reports, for moderators. */
export const getReports = list('Reports', {
  route: 'GET /moderation/reports/{page}',
  summary: 'Get reports',
  query: {
    state: {
      description: 'Only reports in this state.',
      required: false,
      schema: state.meta({ default: 'open' }),
      example: 'open',
    },
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
  body: bodyOf('CloseReportBody', 'CloseReportInput', { note: text(reasonBounds) }, { note: 'Removed.' }),
  document: graphql(
    `mutation CloseReport($uuid: UUID!, $note: String!) {
      closeReport(input: { uuid: $uuid, note: $note }) { report { ...Report } }
    }`,
    [reportView.fragment],
  ),
  response: {
    schema: reportView.schema,
    body: ({ closeReport }) => reportView.object(closeReport.report),
  },
  errors: ['FORBIDDEN', 'CONFLICT'],
})
