import { moderate, report } from '../domain/permissions.ts'
import { commentBounds, maxOpenReports, sendReport } from '../domain/reports.ts'
import { refusedCharacters } from '../domain/text.ts'
import { longText } from '../reads/cost.ts'
import { reports } from '../reads/moderation.ts'
import { objectIn } from '../reads/read.ts'
import { sql } from '../reads/sql.ts'
import { builder } from './builder.ts'
import { numberedPageArgs, pageOf } from './pages.ts'
import { payloadOf, readPayload } from './payload.ts'
import { Publication } from './publication.ts'
import { User } from './user.ts'

const ReportReason = builder.enumType('ReportReason', {
  description: 'Why something is reported.',
  values: {
    SPAM: { description: 'Unwanted advertising or repetition.' },
    ABUSE: { description: 'Insults, threats or harassment.' },
    ILLEGAL: { description: 'Against the law.' },
    OTHER: { description: 'Another reason, which the comment explains.' },
  } as const,
})

const ReportState = builder.enumType('ReportState', {
  description: 'Whether a report was dealt with.',
  values: {
    OPEN: { description: 'Nobody has closed it.' },
    CLOSED: { description: 'A moderator or the operator has closed it.' },
  } as const,
})

/** A report of a user or a publication. */
export const Report = builder.prismaObject('Report', {
  description: 'A report of a user or a publication, with a copy of what was reported.',
  fields: (t) => ({
    uuid: t.expose('id', { type: 'UUID', description: 'Identifier, the same as in the REST interface.' }),
    state: t.expose('state', { type: ReportState, description: 'Whether it was dealt with.' }),
    reason: t.expose('reason', { type: ReportReason, description: 'Why it was reported.' }),
    comment: t.exposeString('comment', {
      nullable: true,
      description: `What the reporter adds, at most ${commentBounds.max} characters; null if nothing.`,
      cost: longText,
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was reported.' }),
    subjectUuid: t.expose('subjectId', {
      type: 'UUID',
      description: 'Identifier of the user or the publication, even after its deletion.',
    }),
    user: t.field({
      type: User,
      nullable: true,
      description: 'The user, or the author of the publication; null if the account was deleted.',
      read: objectIn(sql`user_id`),
    }),
    publication: t.field({
      type: Publication,
      nullable: true,
      description: 'The publication; null if it was deleted, and for users.',
      read: objectIn(sql`subject_id`),
    }),
    reporter: t.relation('reporter', {
      nullable: true,
      description: 'Who reported it; null if the account was deleted.',
    }),
    username: t.exposeString('username', {
      permission: moderate,
      description: 'Username of the user, or of the author, when it was reported.',
    }),
    displayName: t.exposeString('displayName', {
      permission: moderate,
      description: 'Display name of the user, or of the author, when it was reported.',
    }),
    content: t.exposeString('content', {
      permission: moderate,
      description: 'The text of the publication, or the biography of the user, when it was reported.',
      cost: longText,
    }),
    closedAt: t.expose('closedAt', { type: 'DateTime', nullable: true, description: 'When it was closed.' }),
    closedBy: t.field({
      type: User,
      nullable: true,
      permission: moderate,
      description: 'The moderator who closed it; null if it is open, or the operator closed it.',
      read: objectIn(sql`closed_by`),
    }),
    note: t.exposeString('note', {
      nullable: true,
      permission: moderate,
      description: 'The note of who closed it.',
      cost: longText,
    }),
  }),
})

const ReportInput = builder.inputType('ReportInput', {
  description: 'What to report, and why.',
  fields: (t) => ({
    uuid: t.field({ type: 'UUID', required: true, description: 'Identifier of a user or a publication.' }),
    reason: t.field({ type: ReportReason, required: true, description: 'Why it is reported.' }),
    comment: t.string({
      description: `What moderators should know: at most ${commentBounds.max} characters without ${refusedCharacters}.`,
    }),
  }),
})

const ReportPayload = payloadOf('ReportPayload', 'The result of reporting something.', 'report', {
  type: Report,
  description: 'The report.',
})

builder.mutationField('report', (t) =>
  t.field({
    type: ReportPayload,
    permission: report,
    description: `Reports a user or a publication to the moderators, who alone see who sent the report. While it is open, reporting the same again returns it. Errors: \`NOT_FOUND\`, \`CONFLICT\` when the viewer already has ${maxOpenReports} open reports.`,
    args: { input: t.arg({ type: ReportInput, required: true, description: 'What to report, and why.' }) },
    resolve: async (_root, { input }, context, info) => {
      const id = await sendReport(context.database, context.session, input)
      return readPayload(context, info, id, 'report it again: it is only stored once')
    },
  }),
)

builder.queryField('reports', (t) =>
  t.field({
    type: pageOf(Report, 'Report', 'reports'),
    permission: moderate,
    args: {
      state: t.arg({
        type: ReportState,
        required: true,
        defaultValue: 'OPEN',
        description: 'Only reports in this state.',
      }),
      ...numberedPageArgs(t.arg),
    },
    description: 'Reports, newest first, except for those about the viewer.',
    read: reports,
  }),
)
