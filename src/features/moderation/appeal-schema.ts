import { longText } from '../../engine/compiler/cost.ts'
import { globalId, objectIn, type PageRead } from '../../engine/compiler/field-reads.ts'
import { sql } from '../../engine/compiler/sql.ts'
import { User } from '../accounts/schema.ts'
import { appealBounds, reasonBounds } from '../base/bounds.ts'
import { builder } from '../base/builder.ts'
import { formed, stored, withForm } from '../base/input-rules.ts'
import { numberedPageArgs, pageOf } from '../base/pages.ts'
import { payloadWith, readPayload } from '../base/payload.ts'
import { manageAccount, moderate } from '../base/permissions.ts'
import { isViewer } from '../visibility/viewer.ts'
import { sendAppeal } from './appeals.ts'
import { answerAppeal } from './suspensions.ts'

/** The appeals in a state, newest first. */
const appeals: PageRead = {
  types: { state: sql`appeal_state` },
  keyOf: ({ state }) => ({ state }),
  order: 'desc',
  where: (it, _row, part) => sql`${it}.state = ${part('state')}`,
}

/** The appeals of the viewer, newest first; null for any other row. */
const ownAppeals: PageRead = {
  order: 'desc',
  isVisible: isViewer,
  where: (it, row) => sql`${it}.user_id = ${row}.id`,
}

const AppealState = builder.enumType('AppealState', {
  description: 'The state of an appeal.',
  values: {
    OPEN: { description: 'Nobody has answered the appeal.' },
    ACCEPTED: { description: 'The suspension has ended.' },
    REJECTED: { description: 'The account stays suspended.' },
  } as const,
})

const Appeal = builder.prismaObject('Appeal', {
  description: 'What a suspended person writes to the moderators, and their answer.',
  interfaces: [builder.nodeInterfaceRef()],
  extensions: { nodePermission: moderate },
  fields: (t) => ({
    id: t.id({
      description: 'The opaque global id, with which `node` finds the appeal for moderators.',
      read: globalId,
    }),
    uuid: t.expose('id', { type: 'UUID', description: 'The uuid, the same in GraphQL and REST.' }),
    state: t.expose('state', { type: AppealState, description: 'The state: whether and how it was answered.' }),
    text: t.exposeString('text', { ...formed('What the person wrote', stored(appealBounds)), cost: longText }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the appeal was sent.' }),
    answer: t.exposeString('answer', {
      nullable: true,
      description: 'The answer; null if it is open, or the suspension was lifted without an answer.',
      ...withForm(stored(reasonBounds)),
      cost: longText,
    }),
    answeredAt: t.expose('answeredAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the appeal was answered; null if it is open.',
    }),
    user: t.relation('user', { permission: moderate, description: 'The account that appeals.' }),
    answeredBy: t.field({
      type: User,
      nullable: true,
      permission: moderate,
      description: 'The moderator who answered; null if it is open, or the operator answered.',
      read: objectIn(sql`answered_by`),
    }),
  }),
})

const AppealConnection = pageOf(Appeal, 'Appeal', 'appeals')

builder.prismaObjectField(User, 'appeals', (t) =>
  t.field({
    type: AppealConnection,
    nullable: true,
    permission: manageAccount,
    staysOpenTo: ['suspended'],
    args: numberedPageArgs(t.arg),
    description: 'The appeals of the viewer against suspensions, newest first; null for anybody else.',
    read: ownAppeals,
  }),
)

builder.queryField('appeals', (t) =>
  t.field({
    type: AppealConnection,
    permission: moderate,
    args: {
      state: t.arg({
        type: AppealState,
        required: true,
        defaultValue: 'OPEN',
        description: 'Only appeals in this state.',
      }),
      ...numberedPageArgs(t.arg),
    },
    description: 'Appeals of suspended people, newest first.',
    read: appeals,
  }),
)

builder.relayMutationField(
  'appeal',
  {
    inputFields: (t) => ({
      text: t.string({ required: true, ...formed('Why the suspension should end', appealBounds) }),
    }),
  },
  {
    permission: manageAccount,
    staysOpenTo: ['suspended'],
    description:
      'Asks the moderators to end the suspension of the account. Errors: `FORBIDDEN` for an account that is not suspended, ' +
      '`CONFLICT` while another appeal is open.',
    resolve: async (_root, { input: { text } }, context, info) => {
      const id = await sendAppeal(context.database, context.viewer, text)
      return readPayload(context, info, id, 'read the appeals of the viewer')
    },
  },
  payloadWith('appeal', Appeal, 'The new appeal.'),
)

builder.relayMutationField(
  'answerAppeal',
  {
    inputFields: (t) => ({
      uuid: t.field({ type: 'UUID', required: true, description: 'The uuid of the appeal.' }),
      accept: t.boolean({ required: true, description: 'Whether the suspension ends.' }),
      answer: t.string({ required: true, ...formed('The answer, which the person reads', reasonBounds) }),
    }),
  },
  {
    permission: moderate,
    description:
      'Answers an appeal, and with `accept` lifts the suspension. Errors: `NOT_FOUND`, `FORBIDDEN` for appeals of moderators, ' +
      '`CONFLICT` if it is already answered.',
    resolve: async (_root, { input }, context, info) => {
      const { database, viewer, services, changedAccounts } = context
      changedAccounts.add(await answerAppeal(database, viewer, input, services.mail !== undefined))
      return readPayload(context, info, input.uuid, 'read the answered appeals')
    },
  },
  payloadWith('appeal', Appeal, 'The answered appeal.'),
)
