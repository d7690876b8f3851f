import { z } from 'zod'
import { reasonBounds } from '../../domain/moderation.ts'
import { commentBounds, maxOpenReports } from '../../domain/reports.ts'
import { graphql } from '../graphql.ts'
import { operation } from '../operation.ts'
import { newObject } from '../schemas/bodies.ts'
import { eitherPost, reason, reportView, sentReportView, state } from '../schemas/moderation.ts'
import { samplePost } from '../schemas/posts.ts'
import { components, newText, pageOf, sentUuid } from '../schemas/types.ts'

/** Report, which the interface does not have. */
export const sendReport = operation({
  route: 'POST /report',
  summary: 'Report a user, a post or a reply',
  description: `Reports it to the moderators, who alone see who sent the report. While the report is open, reporting the same again returns it. An account has at most ${maxOpenReports} open reports.`,
  body: newObject({
    uuid: sentUuid.describe('The uuid of the user, post or reply.'),
    reason: reason.describe('Why it is reported.'),
    comment: newText(commentBounds).nullish().describe('What moderators should know.'),
  }).register(components, { id: 'SendReportBody', example: { uuid: samplePost.uuid, reason: 'spam' } }),
  document: graphql(
    `mutation SendReport($uuid: UUID!, $reason: ReportReason!, $comment: String) {
      report(input: { uuid: $uuid, reason: $reason, comment: $comment }) { report { ...SentReport } }
    }`,
    [sentReportView.fragment],
  ),
  response: {
    description: 'The report.',
    schema: sentReportView.schema,
    body: ({ report }) => sentReportView.object(report.report),
  },
  errors: ['NOT_FOUND', 'CONFLICT'],
})

/** Get reports, for moderators. */
export const getReports = operation({
  route: 'GET /moderation/reports/{page}',
  summary: 'Get reports',
  description: 'One page, newest first, without those about the owner of the token. Pages past the end are empty.',
  query: {
    state: {
      description: 'Only reports in this state.',
      required: false,
      schema: state.meta({ default: 'open' }),
      example: 'open',
    },
  },
  scopes: eitherPost,
  list: { by: 'number', of: ({ reports }) => reports },
  document: graphql(
    `query GetReports($state: ReportState! = OPEN, $first: Int!, $offset: Int!) {
      reports(state: $state, first: $first, offset: $offset) { nodes { ...Report } pageInfo { hasNextPage } }
    }`,
    [reportView.fragment],
  ),
  response: {
    description: 'The page of reports.',
    schema: z
      .object({ reports: pageOf(reportView.schema).describe('The reports, newest first.') })
      .describe('One page of reports.')
      .register(components, { id: 'Reports', example: { reports: [reportView.example] } }),
    body: ({ reports }) => ({ reports: reports.nodes.map(reportView.object) }),
  },
})

/** Close report, for moderators. */
export const closeReport = operation({
  route: 'PATCH /moderation/report/{report}',
  summary: 'Close a report',
  description: 'Closes a report with a note. Moderators cannot close reports about moderators.',
  scopes: eitherPost,
  body: newObject({
    note: newText(reasonBounds).describe('What was done about it, for the moderation log.'),
  }).register(components, { id: 'CloseReportBody', example: { note: 'Removed.' } }),
  document: graphql(
    `mutation CloseReport($uuid: UUID!, $note: String!) {
      closeReport(input: { uuid: $uuid, note: $note }) { report { ...Report } }
    }`,
    [reportView.fragment],
  ),
  response: {
    description: 'The closed report.',
    schema: reportView.schema,
    body: ({ closeReport }) => reportView.object(closeReport.report),
  },
  errors: ['FORBIDDEN', 'CONFLICT'],
})
