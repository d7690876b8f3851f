import { staleness } from '../../engine/auth/viewers.ts'
import { currentPassword, ifAccountUnchangedSince, secondFactorCode } from '../accounts/mutations.ts'
import { builder } from '../base/builder.ts'
import { manageAccount } from '../base/permissions.ts'
import { deleteOwnAccount } from './deletion.ts'

builder.relayMutationField(
  'deleteAccount',
  {
    inputFields: (t) => ({
      password: t.string(currentPassword),
      code: t.string(secondFactorCode),
      ifUnchangedSince: t.field(ifAccountUnchangedSince),
    }),
  },
  {
    permission: manageAccount,
    staysOpenTo: ['pending', 'suspended'],
    description:
      "Deletes the viewer's account with everything that it wrote, and revokes all its tokens. It is " +
      `hidden at once; other server processes may accept its tokens for ${staleness / 1_000} seconds, and ` +
      'the counters of others are lowered when it is erased. Errors: `SECOND_FACTOR_REQUIRED`, `RATE_LIMITED` ' +
      'after many wrong passwords or codes, `UNAVAILABLE` when too many people are signing in.',
    extensions: { handlesSecrets: true },
    resolve: async (_root, { input }, { services, viewer, apiRequest: { address } }) => {
      const finalAt = await deleteOwnAccount(services, viewer, input, { address, days: services.deletionDelay })
      services.viewers.forget(viewer.id)
      return { finalAt }
    },
  },
  {
    outputFields: (t) => ({
      finalAt: t.expose('finalAt', {
        type: 'DateTime',
        description: 'When its erasure begins. Until then, signing in cancels the deletion.',
      }),
    }),
  },
)
