import { globalId, objectIn, type PageRead } from '../../engine/compiler/field-reads.ts'
import { sql } from '../../engine/compiler/sql.ts'
import { User } from '../accounts/schema.ts'
import { invitationDays, maxInvitationUses } from '../base/bounds.ts'
import { builder } from '../base/builder.ts'
import { numberedPageArgs, pageOf } from '../base/pages.ts'
import { payloadBefore, payloadWith, readPayload } from '../base/payload.ts'
import { manageAccount, moderate } from '../base/permissions.ts'
import { ownedByViewer } from '../visibility/viewer.ts'
import { createInvitation, maxInvitations, revokeInvitation } from './invitations.ts'

/** All invitations, newest first. */
const invitations: PageRead = { order: 'desc' }

const Invitation = builder.prismaObject('Invitation', {
  description:
    'An invitation to create accounts. Only its creator and moderators see it; its code is never shown again.',
  interfaces: [builder.nodeInterfaceRef()],
  extensions: { nodePermission: moderate },
  fields: (t) => ({
    id: t.id({
      description: 'The opaque global id, with which `node` finds the object for moderators.',
      read: globalId,
    }),
    uuid: t.expose('id', { type: 'UUID', description: 'The uuid, the same in GraphQL and REST.' }),
    creator: t.field({
      type: User,
      nullable: true,
      description: 'Who created it; null if the operator did.',
      read: objectIn(sql`creator_id`),
    }),
    maxUses: t.exposeInt('maxUses', { description: 'How many accounts can be created with it.' }),
    uses: t.exposeInt('uses', { description: 'How many accounts were created with it.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was created.' }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', description: 'When it expires. It is removed then.' }),
  }),
})

const InvitationConnection = pageOf(Invitation, 'Invitation', 'invitations')

builder.queryFields((t) => ({
  invitations: t.field({
    type: InvitationConnection,
    permission: manageAccount,
    args: t.arg.connectionArgs(),
    description: "The viewer's own invitations, newest first.",
    read: ownedByViewer(sql`creator_id`),
  }),
  allInvitations: t.field({
    type: InvitationConnection,
    permission: moderate,
    args: numberedPageArgs(t.arg),
    description: 'The invitations of everybody, newest first.',
    read: invitations,
  }),
}))

builder.prismaObjectField(User, 'invitedBy', (t) =>
  t.field({
    type: User,
    nullable: true,
    permission: moderate,
    description:
      'Whose invitation the account was created with; null if with none, with one of the operator, or if that ' +
      'account was deleted.',
    read: objectIn(sql`invited_by_id`),
  }),
)

builder.relayMutationField(
  'createInvitation',
  {
    description: 'How the invitation can be used.',
    inputFields: (t) => ({
      maxUses: t.int({
        description: `How many accounts can be created with it: 1 to ${maxInvitationUses}. Defaults to 1.`,
        extensions: { range: { min: 1, max: maxInvitationUses } },
      }),
      expiresAt: t.field({
        type: 'DateTime',
        description: `When it expires, at most ${invitationDays.max} days from now. Defaults to ${invitationDays.usual} days from now.`,
      }),
    }),
  },
  {
    permission: manageAccount,
    description:
      'Creates an invitation, with which others can sign up. Errors: `FORBIDDEN` where only moderators invite, ' +
      `\`CONFLICT\` when the viewer already has ${maxInvitations} that have not expired.`,
    extensions: { handlesSecrets: true },
    resolve: async (_root, { input }, context, info) => {
      const { database, viewer, services } = context
      const { id, code } = await createInvitation(database, viewer, services.admission, input)
      return { ...(await readPayload(context, info, id, 'read the invitations of the viewer')), code }
    },
  },
  {
    outputFields: (t) => ({
      ...payloadWith<{ selected: object; code: string }>('invitation', Invitation, 'The new invitation.').outputFields(
        t,
      ),
      code: t.exposeString('code', {
        description: 'The code, which `signUp` and the page `/sign-up?invitation=…` take. It is shown only once.',
      }),
    }),
  },
)

builder.relayMutationField(
  'revokeInvitation',
  {
    inputFields: (t) => ({
      uuid: t.field({ type: 'UUID', required: true, description: 'The uuid of the invitation.' }),
    }),
  },
  {
    permission: manageAccount,
    description:
      'Revokes an invitation: one of the viewer, or of anybody if the token has the scope `moderation.manage`. ' +
      'Accounts that were created with it stay. Errors: `NOT_FOUND`, `FORBIDDEN` for those of other moderators.',
    resolve: (_root, { input: { uuid } }, context, info) =>
      revokeInvitation(context.database, context.viewer, uuid, payloadBefore(context, info, uuid)),
  },
  payloadWith('invitation', Invitation, 'The invitation just before it was revoked.'),
)
