import type { GraphQLResolveInfo } from 'graphql'
import { type Act, closeReport, reasonBounds, removePublications, setSuspended } from '../domain/moderation.ts'
import { moderate } from '../domain/permissions.ts'
import { staleness } from '../domain/sessions.ts'
import { refusedCharacters } from '../domain/text.ts'
import { longText } from '../reads/cost.ts'
import { moderationLog } from '../reads/moderation.ts'
import { objectIn } from '../reads/read.ts'
import { sql } from '../reads/sql.ts'
import { builder } from './builder.ts'
import type { Context } from './context.ts'
import { numberedPageArgs, pageOf } from './pages.ts'
import { payloadBefore, payloadOf, readPayload } from './payload.ts'
import { Publication } from './publication.ts'
import { Report } from './report.ts'
import { User } from './user.ts'

const ModerationAction = builder.enumType('ModerationAction', {
  description: 'What a moderator or the operator did.',
  values: {
    USER_SUSPENDED: { description: 'An account was suspended.' },
    USER_REINSTATED: { description: 'The suspension of an account was lifted.' },
    USER_PROMOTED: { description: 'An account was made a moderator.' },
    USER_DEMOTED: { description: 'An account ceased to be a moderator.' },
    PUBLICATION_REMOVED: { description: 'A publication was removed.' },
    REPORT_CLOSED: { description: 'A report was closed.' },
  } as const,
})

const ModerationAct = builder.prismaObject('ModerationAct', {
  description: 'An entry of the moderation log.',
  fields: (t) => ({
    uuid: t.expose('id', { type: 'UUID', description: 'Identifier of the entry.' }),
    at: t.expose('at', { type: 'DateTime', description: 'When it was done.' }),
    action: t.expose('action', { type: ModerationAction, description: 'What was done.' }),
    actor: t.field({
      type: User,
      nullable: true,
      description: 'The moderator who did it; null if the operator did, or the account was deleted.',
      read: objectIn(sql`actor_id`),
    }),
    actorUuid: t.expose('actorId', {
      type: 'UUID',
      nullable: true,
      description: 'Identifier of the moderator, even after the deletion of the account; null if the operator did it.',
    }),
    subjectUuid: t.expose('subjectId', {
      type: 'UUID',
      description: 'Identifier of the user, the publication or the report, even after its deletion.',
    }),
    user: t.field({
      type: User,
      nullable: true,
      description:
        'The user, the author of the publication, or whom the report is about; null if the account was deleted.',
      read: objectIn(sql`user_id`),
    }),
    username: t.exposeString('username', { description: 'Username of this user at that time.' }),
    reason: t.exposeString('reason', {
      nullable: true,
      description: 'Why it was done, or the note on a closed report; null if none was given.',
      cost: longText,
    }),
  }),
})

const uuidOf = (what: string) => ({ type: 'UUID', required: true, description: `Identifier of the ${what}.` }) as const
const reason = {
  required: true,
  description: `Why, for the moderation log: ${reasonBounds.min} to ${reasonBounds.max} characters without ${refusedCharacters}.`,
} as const

const SuspendUserInput = builder.inputType('SuspendUserInput', {
  description: 'The account to suspend, and why.',
  fields: (t) => ({ uuid: t.field(uuidOf('user')), reason: t.string(reason) }),
})

const ReinstateUserInput = builder.inputType('ReinstateUserInput', {
  description: 'The account to reinstate.',
  fields: (t) => ({ uuid: t.field(uuidOf('user')) }),
})

const RemovePublicationInput = builder.inputType('RemovePublicationInput', {
  description: 'The publication to remove, and why.',
  fields: (t) => ({ uuid: t.field(uuidOf('publication')), reason: t.string(reason) }),
})

const CloseReportInput = builder.inputType('CloseReportInput', {
  description: 'The report to close.',
  fields: (t) => ({
    uuid: t.field(uuidOf('report')),
    note: t.string({
      description: `What was done about it: ${reasonBounds.min} to ${reasonBounds.max} characters without ${refusedCharacters}.`,
    }),
  }),
})

const userAfter = { type: User, description: 'The user after the change.' }

const SuspendUserPayload = payloadOf('SuspendUserPayload', 'The result of suspending a user.', 'user', userAfter)
const ReinstateUserPayload = payloadOf('ReinstateUserPayload', 'The result of reinstating a user.', 'user', userAfter)
const RemovePublicationPayload = payloadOf(
  'RemovePublicationPayload',
  'The result of removing a publication.',
  'publication',
  { type: Publication, description: 'The publication just before its removal.' },
)
const CloseReportPayload = payloadOf('CloseReportPayload', 'The result of closing a report.', 'report', {
  type: Report,
  description: 'The closed report.',
})

async function suspend(act: Act, suspended: boolean, context: Context, info: GraphQLResolveInfo) {
  await setSuspended(context.database, context.session, act, suspended)
  return readPayload(context, info, act.uuid, `read user ${act.uuid}`)
}

const ofModerators = 'Errors: `NOT_FOUND`, `FORBIDDEN` for moderators.'

builder.mutationFields((t) => ({
  suspendUser: t.field({
    type: SuspendUserPayload,
    permission: moderate,
    description: `Suspends a user: their tokens are refused within ${staleness / 1_000} seconds, and they cannot sign in. What they published stays. Idempotent. ${ofModerators}`,
    args: { input: t.arg({ type: SuspendUserInput, required: true, description: 'The user, and why.' }) },
    resolve: (_root, { input }, context, info) => suspend(input, true, context, info),
  }),
  reinstateUser: t.field({
    type: ReinstateUserPayload,
    permission: moderate,
    description: `Lifts the suspension of a user. Idempotent. ${ofModerators}`,
    args: { input: t.arg({ type: ReinstateUserInput, required: true, description: 'The user.' }) },
    resolve: (_root, { input }, context, info) => suspend(input, false, context, info),
  }),
  removePublication: t.field({
    type: RemovePublicationPayload,
    permission: moderate,
    description: `Deletes a publication of any user, as its author could. ${ofModerators}`,
    args: { input: t.arg({ type: RemovePublicationInput, required: true, description: 'The publication, and why.' }) },
    resolve: (_root, { input: { uuid, reason } }, context, info) => {
      const acts = { uuids: [uuid], reason }
      return removePublications(context.database, context.session, acts, payloadBefore(context, info, uuid))
    },
  }),
  closeReport: t.field({
    type: CloseReportPayload,
    permission: moderate,
    description:
      'Closes a report. Errors: `NOT_FOUND`, `FORBIDDEN` for reports about moderators, `CONFLICT` if it is already closed.',
    args: { input: t.arg({ type: CloseReportInput, required: true, description: 'The report, and a note.' }) },
    resolve: async (_root, { input: { uuid, note } }, context, info) => {
      await closeReport(context.database, context.session, { uuid, reason: note })
      return readPayload(context, info, uuid, 'read the closed reports')
    },
  }),
}))

builder.prismaObjectField(User, 'suspendedAt', (t) =>
  t.expose('suspendedAt', {
    type: 'DateTime',
    nullable: true,
    permission: moderate,
    description: 'When the account was suspended; null if it is not.',
  }),
)

builder.queryField('moderationLog', (t) =>
  t.field({
    type: pageOf(ModerationAct, 'ModerationAct', 'the moderation log'),
    permission: moderate,
    args: numberedPageArgs(t.arg),
    description: 'What moderators and the operator did, newest first. Entries are never changed or removed.',
    read: moderationLog,
  }),
)
