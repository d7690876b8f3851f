import { builder } from '../base/builder.ts'
import { withForm } from '../base/input-rules.ts'
import { readUser } from '../base/permissions.ts'
import { accountLimits, limitForm, limitNames, newAccounts } from './declarations.ts'
import { type LimitOfServer, limitsFor, type UsedLimit } from './limits.ts'

const name = {
  description: `The name of the limit, which errors have in \`limit\`: ${limitNames
    .map((each) => `\`${each}\` for ${accountLimits[each].what}`)
    .join(', ')}.`,
  ...withForm(limitForm),
} as const

const AccountLimit = builder.objectRef<UsedLimit>('AccountLimit').implement({
  description: 'How much the viewer may do of something, and how much they have done.',
  fields: (t) => ({
    name: t.exposeString('name', name),
    used: t.exposeInt('used', { description: 'How many the viewer has used.' }),
    limit: t.exposeInt('limit', { description: 'How many the viewer may use until `resetsAt`.' }),
    resetsAt: t.expose('resetsAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the count begins again. Null if nothing is counted.',
    }),
  }),
})

/** A limit of a server. */
export const ServerAccountLimit = builder.objectRef<LimitOfServer>('ServerAccountLimit').implement({
  description: 'How much each account of a server may do of something.',
  fields: (t) => ({
    name: t.exposeString('name', name),
    limit: t.exposeInt('limit', { description: 'How many an account may use in a window.' }),
    newAccountLimit: t.exposeInt('newAccountLimit', {
      description: `How many an account that is younger than ${newAccounts.age / 3_600_000} hours may use in a window.`,
    }),
    seconds: t.exposeInt('seconds', {
      description: 'How long a window lasts, in seconds. It begins with the first that is counted.',
    }),
  }),
})

builder.queryField('accountLimits', (t) =>
  t.field({
    type: [AccountLimit],
    permission: readUser,
    description: 'The limits of the viewer. Those that the operator has switched off are left out.',
    cost: { perRead: 20 },
    resolve: (_root, _args, context) => limitsFor(context)?.read() ?? [],
  }),
)
