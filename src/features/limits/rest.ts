import { graphql } from '../../engine/rest/graphql.ts'
import { operation } from '../../engine/rest/operation.ts'
import { seconds, view } from '../../engine/rest/view.ts'
import { limitNames } from './declarations.ts'

const sampleLimit = { name: 'likes', used: 12, limit: 2_000, resetsAt: '2026-11-28T09:30:00.000Z' }

const limitView = view(
  'AccountLimit',
  'AccountLimit',
  'How much the viewer may do of something, and how much they have done.',
  sampleLimit,
  { name: 'name', used: 'used', limit: 'limit', resets_at: ['resetsAt', seconds] },
)

/** A limit of a server, in examples. */
export const sampleServerLimit = { name: 'likes', limit: 2_000, newAccountLimit: 200, seconds: 86_400 }

/** A limit of a server. */
export const serverAccountLimitView = view(
  'ServerAccountLimit',
  'ServerAccountLimit',
  'How much each account of a server may do of something.',
  sampleServerLimit,
  { name: 'name', limit: 'limit', new_account_limit: 'newAccountLimit', seconds: 'seconds' },
)

const limitsView = view(
  'AccountLimits',
  'Query',
  'The limits of the viewer.',
  { accountLimits: [sampleLimit] },
  { limits: ['accountLimits', limitView, { maxItems: limitNames.length }] },
)

/** List limits, which the interface does not have. */
export const listLimits = operation({
  route: 'GET /limits',
  summary: 'List the limits of the viewer',
  description: 'How much the viewer may do, and has done. Limits that the operator has switched off are left out.',
  document: graphql('query ListLimits { ...AccountLimits }', [limitsView.fragment]),
  view: limitsView,
  of: (data) => data,
})
