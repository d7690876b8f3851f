import { longText } from '../../engine/compiler/cost.ts'
import type { PageRead, ValueRead } from '../../engine/compiler/field-reads.ts'
import { sql } from '../../engine/compiler/sql.ts'
import { User } from '../accounts/schema.ts'
import { reasonBounds, signUpReasonBounds } from '../base/bounds.ts'
import { builder } from '../base/builder.ts'
import { formed, stored } from '../base/input-rules.ts'
import { numberedPageArgs, pageOf } from '../base/pages.ts'
import { payloadBefore, payloadWith, readPayload } from '../base/payload.ts'
import { moderate } from '../base/permissions.ts'
import { isViewer } from '../visibility/viewer.ts'
import { approveAccount, rejectAccount } from './approval.ts'

/** The accounts that wait for approval, except for those that are being deleted; newest first. */
const pendingAccounts: PageRead = {
  order: 'desc',
  where: (it) => sql`not exists (select from account_deletions d where d.user_id = ${it}.id)`,
}

/** Whether a moderator has approved the viewer, or need not; of anyone else nothing. */
const isApproved: ValueRead = {
  value: (row) =>
    sql`case when ${isViewer(row)} then not exists (select from pending_accounts p where p.id = ${row}.id) end`,
  cost: 0.2,
}

builder.prismaObjectField(User, 'isApproved', (t) =>
  t.boolean({
    nullable: true,
    description:
      'Whether a moderator has approved the viewer, or this server approves nobody. Until then, the viewer can only ' +
      'read, and nobody but moderators sees them. Null for anybody else.',
    read: isApproved,
  }),
)

const PendingAccount = builder.prismaObject('PendingAccount', {
  description: 'An account that waits for the approval of a moderator.',
  fields: (t) => ({
    user: t.relation('user', { description: 'The account.' }),
    reason: t.exposeString('reason', {
      ...formed('Why its owner wants to join', stored(signUpReasonBounds)),
      cost: longText,
    }),
    since: t.expose('since', { type: 'DateTime', description: 'When it was created.' }),
  }),
})

builder.queryField('pendingAccounts', (t) =>
  t.field({
    type: pageOf(PendingAccount, 'PendingAccount', 'accounts that wait for approval'),
    permission: moderate,
    args: numberedPageArgs(t.arg),
    description: 'The accounts that wait for approval, newest first.',
    read: pendingAccounts,
  }),
)

const uuid = { type: 'UUID', required: true, description: 'The uuid of the account.' } as const

builder.relayMutationField(
  'approveAccount',
  { inputFields: (t) => ({ uuid: t.field(uuid) }) },
  {
    permission: moderate,
    description:
      'Approves an account that waits: everybody sees it, and it can write. Its owner gets an e-mail. Idempotent. ' +
      'Errors: `NOT_FOUND`, `FORBIDDEN` for moderators.',
    resolve: async (_root, { input: { uuid } }, context, info) => {
      const { database, viewer, services } = context
      context.changedAccounts.add(uuid)
      await approveAccount(database, viewer, { uuid, sendsMail: services.mail !== undefined })
      return readPayload(context, info, uuid, `read user ${uuid}`)
    },
  },
  payloadWith('user', User, 'The user after the change.'),
)

builder.relayMutationField(
  'rejectAccount',
  {
    inputFields: (t) => ({
      uuid: t.field(uuid),
      reason: t.string({
        required: true,
        ...formed('The reason, for its owner and for the moderation log', reasonBounds),
      }),
    }),
  },
  {
    permission: moderate,
    description:
      'Rejects an account that waits, and erases it. Its owner gets an e-mail with the reason. Errors: `NOT_FOUND`, ' +
      '`FORBIDDEN` for moderators, `CONFLICT` for an account that does not wait.',
    resolve: (_root, { input }, context, info) => {
      const { database, viewer, services } = context
      context.changedAccounts.add(input.uuid)
      const decision = { ...input, sendsMail: services.mail !== undefined }
      return rejectAccount(database, viewer, decision, payloadBefore(context, info, input.uuid))
    },
  },
  payloadWith('user', User, 'The user just before the account was erased.'),
)
