import { longText } from '../../engine/compiler/cost.ts'
import { globalId, objectIn, type PageRead } from '../../engine/compiler/field-reads.ts'
import { sql } from '../../engine/compiler/sql.ts'
import { User } from '../accounts/schema.ts'
import { bioBounds, commentBounds, nameBounds, reasonBounds, warnedBounds, warningMarks } from '../base/bounds.ts'
import { builder } from '../base/builder.ts'
import { formed, lengthOf, stored, withForm } from '../base/input-rules.ts'
import { numberedPageArgs, pageOf } from '../base/pages.ts'
import { payloadWith, readPayload } from '../base/payload.ts'
import { moderate, report } from '../base/permissions.ts'
import { usernameBounds } from '../base/username.ts'
import { limitsFor } from '../limits/limits.ts'
import { Publication } from '../posts/schema.ts'
import { maxOpenReports, sendReport } from './reports.ts'

/** The reports in a state, newest first. */
const reports: PageRead = {
  types: { state: sql`report_state` },
  keyOf: ({ state }) => ({ state }),
  order: 'desc',
  where: (it, _row, part) => sql`${it}.state = ${part('state')}`,
}

/** The moderation log, newest first. */
export const moderationLog: PageRead = { order: 'desc' }

const ReportReason = builder.enumType('ReportReason', {
  description: 'The reason of a report.',
  values: {
    SPAM: { description: 'Unwanted advertising or repetition.' },
    ABUSE: { description: 'Insults, threats or harassment.' },
    ILLEGAL: { description: 'Against the law.' },
    OTHER: { description: 'Another reason, which the comment explains.' },
  } as const,
})

const ReportState = builder.enumType('ReportState', {
  description: 'The state of a report.',
  values: {
    OPEN: { description: 'Nobody has closed the report.' },
    CLOSED: { description: 'A moderator or the operator has closed the report.' },
  } as const,
})

/** A report of a user or a publication. */
export const Report = builder.prismaObject('Report', {
  description: 'A report of a user or a publication, with a copy of what was reported.',
  interfaces: [builder.nodeInterfaceRef()],
  extensions: { nodePermission: moderate },
  fields: (t) => ({
    id: t.id({
      description: 'The opaque global id, with which `node` finds the report for moderators.',
      read: globalId,
    }),
    uuid: t.expose('id', { type: 'UUID', description: 'The uuid, the same in GraphQL and REST.' }),
    state: t.expose('state', {
      type: ReportState,
      description: 'The state: whether a moderator or the operator has closed the report.',
    }),
    reason: t.expose('reason', { type: ReportReason, description: 'The reason that the reporter chose.' }),
    comment: t.exposeString('comment', {
      nullable: true,
      description: `What the reporter added: ${lengthOf(commentBounds)}; null if nothing.`,
      ...withForm(stored(commentBounds)),
      cost: longText,
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the report was sent.' }),
    subjectUuid: t.expose('subjectId', {
      type: 'UUID',
      description: 'The uuid of the reported user or publication, even after its deletion.',
    }),
    user: t.field({
      type: User,
      nullable: true,
      description: 'The reported user, or the author of the reported publication; null if the account was deleted.',
      read: objectIn(sql`user_id`),
    }),
    publication: t.field({
      type: Publication,
      nullable: true,
      description: 'The reported publication; null if it was deleted, and for users.',
      read: objectIn(sql`subject_id`),
    }),
    reporter: t.relation('reporter', {
      nullable: true,
      description: 'The account that sent the report; null if it was deleted.',
    }),
    username: t.exposeString('username', {
      permission: moderate,
      description: 'The username of the user, or of the author, when the report was sent.',
      ...withForm(usernameBounds),
    }),
    displayName: t.exposeString('displayName', {
      permission: moderate,
      description: 'The display name of the user, or of the author, when the report was sent.',
      ...withForm(stored(nameBounds)),
    }),
    content: t.exposeString('content', {
      permission: moderate,
      description:
        `The text of the publication, after its warning as ${warningMarks.words}, if it had one, or the ` +
        'biography of the user, when the report was sent.',
      ...withForm(stored({ min: 0, max: Math.max(warnedBounds.max, bioBounds.max) })),
      cost: longText,
    }),
    closedAt: t.expose('closedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the report was closed; null if it is open.',
    }),
    closedBy: t.field({
      type: User,
      nullable: true,
      permission: moderate,
      description:
        'The moderator who closed the report; null if it is open, or the operator or the deletion of the account closed it.',
      read: objectIn(sql`closed_by`),
    }),
    note: t.exposeString('note', {
      nullable: true,
      permission: moderate,
      description: 'The note on closing the report; null if there is none.',
      ...withForm(stored(reasonBounds)),
      cost: longText,
    }),
  }),
})

builder.relayMutationField(
  'report',
  {
    description: 'What to report, and why.',
    inputFields: (t) => ({
      uuid: t.field({ type: 'UUID', required: true, description: 'The uuid of a user or a publication.' }),
      reason: t.field({ type: ReportReason, required: true, description: 'The reason for the report.' }),
      comment: t.string(formed('What moderators should know', commentBounds)),
    }),
  },
  {
    permission: report,
    description:
      'Reports a user or a publication to the moderators; only they see who sent the report. While a ' +
      'report is open, reporting the same thing again returns it. Errors: `NOT_FOUND`, `CONFLICT` when ' +
      `the viewer already has ${maxOpenReports} open reports.`,
    resolve: async (_root, { input }, context, info) => {
      const id = await sendReport(context.database, context.viewer, input, limitsFor(context))
      return readPayload(context, info, id, 'report it again: it is only stored once')
    },
  },
  payloadWith('report', Report, 'The new report, or the open one about the same thing.'),
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
