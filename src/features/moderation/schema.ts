import type { GraphQLResolveInfo } from 'graphql'
import { staleness } from '../../engine/auth/viewers.ts'
import { longText } from '../../engine/compiler/cost.ts'
import { globalId, objectIn } from '../../engine/compiler/field-reads.ts'
import { sql } from '../../engine/compiler/sql.ts'
import type { RequestContext } from '../../engine/execution/request-context.ts'
import { User } from '../accounts/schema.ts'
import { reasonBounds, warningBounds } from '../base/bounds.ts'
import { builder } from '../base/builder.ts'
import { formed, stored, withForm } from '../base/input-rules.ts'
import { numberedPageArgs, pageOf } from '../base/pages.ts'
import { payloadBefore, payloadWith, readPayload } from '../base/payload.ts'
import { moderate } from '../base/permissions.ts'
import { usernameBounds } from '../base/username.ts'
import { Publication } from '../posts/schema.ts'
import type { ModerationEntry } from './acts.ts'
import { addWarning, closeReport, longestHost, removePublications, setRefused } from './moderation.ts'
import { moderationLog, Report } from './report-schema.ts'
import { setSuspended } from './suspensions.ts'

const ModerationAction = builder.enumType('ModerationAction', {
  description: 'An action of a moderator or of the operator.',
  values: {
    USER_SUSPENDED: { description: 'An account was suspended.' },
    USER_REINSTATED: { description: 'The suspension of an account was lifted.' },
    USER_PROMOTED: { description: 'An account was made a moderator.' },
    USER_DEMOTED: { description: 'An account ceased to be a moderator.' },
    USER_APPROVED: { description: 'An account that waited was approved.' },
    USER_REJECTED: { description: 'An account that waited was rejected, and erased.' },
    USER_DELETED: { description: 'The operator deleted an account.' },
    PUBLICATION_REMOVED: { description: 'A publication was removed.' },
    PUBLICATION_WARNED: { description: 'A publication got a warning.' },
    REPORT_CLOSED: { description: 'A report was closed.' },
    APPEAL_ACCEPTED: { description: 'An appeal was accepted, which ends the suspension.' },
    APPEAL_REJECTED: { description: 'An appeal was rejected.' },
    INVITATION_REVOKED: { description: 'An invitation of another account was revoked.' },
    APPLICATION_REFUSED: { description: 'An application, or all applications of a host, were refused.' },
    APPLICATION_READMITTED: { description: 'The refusal of an application or a host was lifted.' },
  } as const,
})

const ModerationAct = builder.prismaObject('ModerationAct', {
  description: 'An entry of the moderation log.',
  interfaces: [builder.nodeInterfaceRef()],
  extensions: { nodePermission: moderate },
  fields: (t) => ({
    id: t.id({ description: 'The opaque global id, with which `node` finds the object.', read: globalId }),
    uuid: t.expose('id', { type: 'UUID', description: 'The uuid of the entry.' }),
    at: t.expose('at', { type: 'DateTime', description: 'When the action was taken.' }),
    action: t.expose('action', { type: ModerationAction, description: 'The action that was taken.' }),
    actor: t.field({
      type: User,
      nullable: true,
      description: 'The moderator who took the action; null if the operator did, or the account was deleted.',
      read: objectIn(sql`actor_id`),
    }),
    actorUuid: t.expose('actorId', {
      type: 'UUID',
      nullable: true,
      description:
        'The uuid of the moderator, even after the deletion of the account; null if the operator took the action.',
    }),
    subjectUuid: t.expose('subjectId', {
      type: 'UUID',
      description:
        'The uuid of the user, the publication, the report, the appeal, the invitation or the application, even after its ' +
        'deletion; for a host, that of its refusal.',
    }),
    user: t.field({
      type: User,
      nullable: true,
      description:
        'The user that the action concerns, such as the author of the publication; null if the account was deleted.',
      read: objectIn(sql`user_id`),
    }),
    username: t.exposeString('username', {
      nullable: true,
      description: 'The username of this user at that time; null if there is none.',
      ...withForm(usernameBounds),
    }),
    client: t.exposeString('client', {
      nullable: true,
      description: 'The name of the application, or the host, that was refused or readmitted; null for other actions.',
      ...withForm(stored({ min: 1, max: longestHost })),
      cost: longText,
    }),
    reason: t.exposeString('reason', {
      nullable: true,
      description: 'The reason, the note on a closed report, or the answer to an appeal; null if none was given.',
      ...withForm(stored(reasonBounds)),
      cost: longText,
    }),
  }),
})

const uuidOf = (what: string) => ({ type: 'UUID', required: true, description: `The uuid of the ${what}.` }) as const
const reason = {
  required: true,
  ...formed(
    'The reason, for the moderation log',
    reasonBounds,
    'Whoever is suspended, or whose publication is removed, reads it, too.',
  ),
} as const

async function suspend(act: ModerationEntry, suspended: boolean, context: RequestContext, info: GraphQLResolveInfo) {
  context.changedAccounts.add(act.uuid)
  const { database, services, viewer } = context
  await setSuspended(database, viewer, act, suspended, services.mail !== undefined)
  return readPayload(context, info, act.uuid, `read user ${act.uuid}`)
}

const ofModerators = 'Errors: `NOT_FOUND`, `FORBIDDEN` for moderators.'

builder.relayMutationField(
  'suspendUser',
  { inputFields: (t) => ({ uuid: t.field(uuidOf('user')), reason: t.string(reason) }) },
  {
    permission: moderate,
    description:
      `Suspends a user, who within ${staleness / 1_000} seconds can only read, export and delete their own account, and appeal. ` +
      `What they published is hidden until they are reinstated. Idempotent: the first reason is kept. ${ofModerators}`,
    resolve: (_root, { input }, context, info) => suspend(input, true, context, info),
  },
  payloadWith('user', User, 'The user after the change.'),
)

builder.relayMutationField(
  'reinstateUser',
  { inputFields: (t) => ({ uuid: t.field(uuidOf('user')) }) },
  {
    permission: moderate,
    description: `Lifts the suspension of a user, and accepts their open appeal. Idempotent. ${ofModerators}`,
    resolve: (_root, { input }, context, info) => suspend(input, false, context, info),
  },
  payloadWith('user', User, 'The user after the change.'),
)

builder.relayMutationField(
  'removePublication',
  { inputFields: (t) => ({ uuid: t.field(uuidOf('publication')), reason: t.string(reason) }) },
  {
    permission: moderate,
    description: `Deletes a publication of any user, as its author could. ${ofModerators}`,
    resolve: (_root, { input: { uuid, reason } }, context, info) => {
      const acts = { uuids: [uuid], reason }
      return removePublications(context.database, context.viewer, acts, payloadBefore(context, info, uuid))
    },
  },
  payloadWith('publication', Publication, 'The publication just before its removal.'),
)

builder.relayMutationField(
  'addWarning',
  {
    inputFields: (t) => ({
      uuid: t.field(uuidOf('publication')),
      warning: t.string({
        required: true,
        ...formed('What readers should know before they read the text', warningBounds),
      }),
      reason: t.string(reason),
    }),
  },
  {
    permission: moderate,
    description:
      'Gives a publication of any user a warning, in place of the one that it may have. Its author can still change it. ' +
      `Idempotent. ${ofModerators}`,
    resolve: async (_root, { input }, context, info) => {
      await addWarning(context.database, context.viewer, input)
      return readPayload(context, info, input.uuid, `read publication ${input.uuid}`)
    },
  },
  payloadWith('publication', Publication, 'The publication after the change.'),
)

builder.relayMutationField(
  'closeReport',
  {
    inputFields: (t) => ({
      uuid: t.field(uuidOf('report')),
      note: t.string({
        ...formed('What was done about it', reasonBounds),
      }),
    }),
  },
  {
    permission: moderate,
    description:
      'Closes a report. Errors: `NOT_FOUND`, `FORBIDDEN` for reports about moderators, `CONFLICT` if it is already closed.',
    resolve: async (_root, { input: { uuid, note } }, context, info) => {
      await closeReport(context.database, context.viewer, { uuid, reason: note })
      return readPayload(context, info, uuid, 'read the closed reports')
    },
  },
  payloadWith('report', Report, 'The closed report.'),
)

const ApplicationBy = builder.inputType('ApplicationBy', {
  description: 'Identifies applications by exactly one field.',
  isOneOf: true,
  fields: (t) => ({
    uuid: t.field({ type: 'UUID', description: 'The uuid of one application.' }),
    host: t.string({ description: 'The host of the metadata documents of applications, such as `app.example`.' }),
  }),
})

const by = { type: ApplicationBy, required: true, description: 'The application, or the host.' } as const

type Refusal = { readonly by: typeof ApplicationBy.$inferInput; readonly reason?: string }

/** Refuses an application or readmits it, and says whether that changed anything. */
async function refuse({ by: { uuid, host }, reason }: Refusal, refused: boolean, { database, viewer }: RequestContext) {
  const by = uuid ? { uuid } : { host: host ?? '' }
  return { changed: await setRefused(database, viewer, { by, reason }, refused) }
}

builder.relayMutationField(
  'refuseApplication',
  { inputFields: (t) => ({ by: t.field(by), reason: t.string(reason) }) },
  {
    permission: moderate,
    description:
      'Refuses an application, or all applications of a host: it can neither connect to accounts nor get ' +
      `tokens, and its tokens are refused within ${staleness / 1_000} seconds. Applications of suspended ` +
      `users are always refused. Idempotent. ${ofModerators}`,
    resolve: (_root, { input }, context) => refuse(input, true, context),
  },
  { outputFields: (t) => ({ changed: t.exposeBoolean('changed', { description: 'Whether this changed anything.' }) }) },
)

builder.relayMutationField(
  'readmitApplication',
  { inputFields: (t) => ({ by: t.field(by) }) },
  {
    permission: moderate,
    description: `Lifts the refusal of an application or a host; its tokens work again. Idempotent. ${ofModerators}`,
    resolve: (_root, { input }, context) => refuse(input, false, context),
  },
  { outputFields: (t) => ({ changed: t.exposeBoolean('changed', { description: 'Whether this changed anything.' }) }) },
)

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
    description: 'The actions of moderators and of the operator, newest first. Entries are never changed or removed.',
    read: moderationLog,
  }),
)
