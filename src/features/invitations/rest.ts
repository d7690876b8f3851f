import { graphql } from '../../engine/rest/graphql.ts'
import { list } from '../../engine/rest/list.ts'
import { operation } from '../../engine/rest/operation.ts'
import { seconds, view } from '../../engine/rest/view.ts'
import { sampleBearer, tokenSchema } from '../accounts/rest-access.ts'
import { sampleUser, userView } from '../accounts/rest-views.ts'

/** An invitation of the sample user. */
export const sampleInvitation = {
  uuid: '019ab2c4-e485-7d0b-9a77-c283940516a7',
  creator: sampleUser,
  maxUses: 5,
  uses: 2,
  createdAt: '2026-07-27T12:00:00.000Z',
  expiresAt: '2026-08-03T12:00:00.000Z',
}

const ofInvitation = {
  uuid: 'uuid',
  max_uses: 'maxUses',
  uses: 'uses',
  created_at: ['createdAt', seconds],
  expires_at: ['expiresAt', seconds],
} as const

const invitationView = view(
  'Invitation',
  'Invitation',
  'An invitation of the viewer to create accounts.',
  sampleInvitation,
  ofInvitation,
)

const invitationOfAnyView = view(
  'InvitationOfAny',
  'Invitation',
  'An invitation to create accounts, as moderators see it.',
  sampleInvitation,
  { ...ofInvitation, creator: ['creator', userView] },
)

const createdInvitationView = view(
  'CreatedInvitation',
  'CreateInvitationPayload',
  'A new invitation.',
  { code: sampleBearer, invitation: sampleInvitation },
  {
    code: ['code', undefined, { ...tokenSchema, description: 'The code. It is shown only once.' }],
    invitation: ['invitation', invitationView],
  },
)

/** Get invitations, which the interface does not have. */
export const getInvitations = list('Invitations', {
  route: 'GET /invitation',
  summary: "Get the viewer's invitations",
  by: 'cursor',
  field: 'invitations',
  view: invitationView,
})

/** Get all invitations, for moderators. */
export const getAllInvitations = list('AllInvitations', {
  route: 'GET /moderation/invitations/{page}',
  summary: 'Get the invitations of everybody',
  field: 'allInvitations',
  property: 'invitations',
  view: invitationOfAnyView,
})

/** Create invitation, which the interface does not have. */
export const createInvitation = operation({
  route: 'POST /invitation',
  summary: 'Create an invitation',
  description: 'Others can sign up with its code. On some servers, only moderators invite.',
  body: { example: { max_uses: 5 }, isOptional: true },
  document: graphql(
    `mutation CreateInvitation($max_uses: Int, $expires_at: DateTime) {
      createInvitation(input: { maxUses: $max_uses, expiresAt: $expires_at }) { ...CreatedInvitation }
    }`,
    [createdInvitationView.fragment],
  ),
  view: createdInvitationView,
  of: ({ createInvitation }) => createInvitation,
  errors: ['FORBIDDEN', 'CONFLICT'],
})

/** Revoke invitation, which the interface does not have. */
export const revokeInvitation = operation({
  route: 'DELETE /invitation/{invitation}',
  summary: 'Revoke an invitation',
  description:
    'One of the viewer, or with the scope `moderation.manage` of anybody. Accounts that were created with it stay.',
  document: graphql(
    `mutation RevokeInvitation($uuid: UUID!) {
      revokeInvitation(input: { uuid: $uuid }) { invitation { ...Invitation } }
    }`,
    [invitationView.fragment],
  ),
  view: invitationView,
  of: ({ revokeInvitation }) => revokeInvitation.invitation,
  result: 'The invitation just before it was revoked.',
  errors: ['FORBIDDEN'],
})

const inviterView = view(
  'Inviter',
  'User',
  'Who invited a user.',
  { uuid: sampleUser.uuid, invitedBy: sampleUser },
  { uuid: ['uuid', undefined, { description: 'The uuid of the user.' }], invited_by: ['invitedBy', userView] },
)

/** Get inviter, for moderators. */
export const getInviter = operation({
  route: 'GET /moderation/user/{user}/inviter',
  summary: 'Get who invited a user',
  description: 'Whose invitation the account was created with; null if with none, or with one of the operator.',
  document: graphql('query GetInviter($user: UserBy!) { user(by: $user) { ...Inviter } }', [inviterView.fragment]),
  view: inviterView,
  of: ({ user }) => user,
})
