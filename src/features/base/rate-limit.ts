import type { Balance } from '../../engine/auth/budgets.ts'
import { builder } from './builder.ts'

const RateLimit = builder
  .objectRef<{ readonly cost: number; readonly balance: Balance | undefined }>('RateLimit')
  .implement({
    description:
      'The price of an operation, and the budget that both APIs spend: that of the account or, without a ' +
      'token, of the address of the client.',
    fields: (t) => ({
      cost: t.exposeInt('cost', {
        description: 'The points that the operation costs, the same whether it runs or not. This field itself is free.',
      }),
      limit: t.int({
        nullable: true,
        description: 'The points in a full budget; null if rate limits are off.',
        resolve: ({ balance }) => balance?.limit,
      }),
      remaining: t.int({
        nullable: true,
        description: 'The points that are left; null if rate limits are off.',
        resolve: ({ balance }) => balance?.remaining,
      }),
      resetAt: t.field({
        type: 'DateTime',
        nullable: true,
        description: 'When the budget is full again; null if rate limits are off.',
        resolve: ({ balance }) => balance && new Date(Date.now() + balance.resetsAt - performance.now()),
      }),
    }),
  })

builder.queryField('rateLimit', (t) =>
  t.field({
    type: RateLimit,
    needsToken: false,
    description: 'What this operation costs, and what is left of the budget. Requires no token.',
    args: {
      dryRun: t.arg.boolean({
        description:
          'Whether to price the operation without running it. It is not charged, and only `rateLimit` and ' +
          '`__typename` are in the response.',
      }),
    },
    extensions: { returnsPrice: true },
    resolve: async (_root, _args, { cost, apiRequest }) => ({ cost, balance: await apiRequest.budget?.balance() }),
  }),
)
