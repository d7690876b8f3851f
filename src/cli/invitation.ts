import type { Command } from '@commander-js/extra-typings'
import { invitationDays, maxInvitationUses } from '../features/base/bounds.ts'
import { addCommand, addListCommand, integer, uuid } from './command.ts'
import { minute, print, printPage, printSecret, tell } from './output.ts'
import { publicUrlOf, settings } from './settings.ts'
import { withDatabase } from './with-database.ts'

/** `rookery invitation` */
export function addInvitation(program: Command): void {
  const invitation = addCommand(program, 'invitation', 'Invite people to create accounts.')

  addCommand(invitation, 'create', 'Create an invitation and print its link.', {
    more: `
Whoever has the link can sign up, unless SIGN_UP=closed. It cannot be printed again: the database
stores its hash. It begins with PUBLIC_URL if that is set.`,
    json: '{uuid, code, link, maxUses, expiresAt}',
    examples: ['rookery invitation create', 'rookery invitation create --uses 20 --days 30'],
  })
    .option('--uses <count>', 'how many accounts can be created with it', integer(1, maxInvitationUses), 1)
    .option('--days <count>', 'days until it expires', integer(1, invitationDays.max), invitationDays.usual)
    .action(async ({ uses, days }) => {
      const { createInvitationOfOperator, revokeInvitation } = await import('../features/invitations/invitations.ts')
      const { daysFromNow } = await import('../features/accounts/access-tokens.ts')
      const config = settings('warn')
      const publicUrl = publicUrlOf(config)
      const wanted = { maxUses: uses, expiresAt: daysFromNow(days) }
      await withDatabase(async (database) => {
        const { id, code, maxUses, expiresAt } = await createInvitationOfOperator(database, wanted)
        const link = `${publicUrl}/sign-up?invitation=${code}`
        await printSecret({ uuid: id, code, link, maxUses, expiresAt }, link, async () => {
          await revokeInvitation(database, 'operator', id, async () => undefined)
          return 'The invitation was revoked.'
        })
        if (config.admission.signUp === 'closed') tell('Nobody can sign up with it while SIGN_UP=closed.\n')
      })
    })

  const fields = 'uuid, creator, maxUses, uses, createdAt, expiresAt'
  addListCommand(invitation, 'List all invitations', 'invitations', fields).action(async ({ limit, after }) => {
    const { listInvitations } = await import('../features/invitations/invitations.ts')
    const page = await withDatabase((database) => listInvitations(database, { limit, after }))
    await printPage('invitations', page, `invitation list --limit ${limit}`, {
      UUID: ({ id }) => id,
      CREATED: ({ createdAt }) => minute(createdAt),
      EXPIRES: ({ expiresAt }) => minute(expiresAt),
      USES: ({ uses, maxUses }) => `${uses} of ${maxUses}`,
      BY: ({ creator }) => creator ?? 'operator',
    })
  })

  addCommand(invitation, 'revoke', 'Revoke an invitation. Accounts that were created with it stay.', { json: '{uuid}' })
    .argument('<uuid>', 'the UUID of the invitation', uuid)
    .action(async (uuid) => {
      const { revokeInvitation } = await import('../features/invitations/invitations.ts')
      await withDatabase((database) => revokeInvitation(database, 'operator', uuid, async () => undefined))
      await print({ uuid }, `Revoked invitation ${uuid}.`)
    })
}
