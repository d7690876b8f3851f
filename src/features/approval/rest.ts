import { graphql } from '../../engine/rest/graphql.ts'
import { list } from '../../engine/rest/list.ts'
import { operation } from '../../engine/rest/operation.ts'
import { seconds, view } from '../../engine/rest/view.ts'
import { sampleUser, userView } from '../accounts/rest-views.ts'

const pendingAccountView = view(
  'PendingAccount',
  'PendingAccount',
  'An account that waits for approval.',
  { user: sampleUser, reason: 'I weave, and want to talk about looms.', since: '2026-07-27T12:00:00.000Z' },
  { user: ['user', userView], reason: 'reason', since: ['since', seconds] },
)

/** Get pending accounts, for moderators. */
export const getPendingAccounts = list('PendingAccounts', {
  route: 'GET /moderation/pending/{page}',
  summary: 'Get the accounts that wait for approval',
  field: 'pendingAccounts',
  property: 'accounts',
  view: pendingAccountView,
})

/** Approve account, for moderators. */
export const approveAccount = operation({
  route: 'POST /moderation/user/{user}/approve',
  summary: 'Approve an account that waits',
  description: 'Everybody sees it, and it can write. Its owner gets an e-mail. Idempotent. A body is ignored.',
  document: graphql(
    `mutation ApproveAccount($uuid: UUID!) {
      approveAccount(input: { uuid: $uuid }) { user { ...User } }
    }`,
    [userView.fragment],
  ),
  view: userView,
  of: ({ approveAccount }) => approveAccount.user,
  errors: ['FORBIDDEN'],
})

/** Reject account, for moderators. */
export const rejectAccount = operation({
  route: 'POST /moderation/user/{user}/reject',
  summary: 'Reject an account that waits',
  description: 'Erases it. Its owner gets an e-mail with the reason.',
  body: { example: { reason: 'Advertising.' } },
  document: graphql(
    `mutation RejectAccount($uuid: UUID!, $reason: String!) {
      rejectAccount(input: { uuid: $uuid, reason: $reason }) { user { ...User } }
    }`,
    [userView.fragment],
  ),
  view: userView,
  of: ({ rejectAccount }) => rejectAccount.user,
  result: 'The user just before the account was erased.',
  errors: ['FORBIDDEN', 'CONFLICT'],
})
