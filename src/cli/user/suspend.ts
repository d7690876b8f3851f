import type { Command } from '@commander-js/extra-typings'
import { jsonOption, username } from '../arguments.ts'
import { printResult } from '../output.ts'
import { withDatabase } from '../with-database.ts'

const moreOfSuspend = `
A suspended account cannot sign in, and its tokens get ACCOUNT_SUSPENDED; a running server
refuses them within 5 seconds. Its profile, posts and replies stay visible.
"rookery user reinstate" lifts the suspension, and the tokens work again.

With --json: {uuid, changed}

Examples:
  $ rookery user suspend robin
`

const moreOfReinstate = `
The account can sign in again, and the tokens that it had work again.

With --json: {uuid, changed}

Examples:
  $ rookery user reinstate robin
`

/** `rookery user suspend` */
export function addUserSuspend(user: Command): void {
  user
    .command('suspend')
    .summary('suspend an account')
    .description('Suspend an account, so that it can neither sign in nor use its tokens.')
    .argument('<username>', 'the account', username)
    .addOption(jsonOption())
    .addHelpText('after', moreOfSuspend)
    .action((username) => set(username, true))
}

/** `rookery user reinstate` */
export function addUserReinstate(user: Command): void {
  user
    .command('reinstate')
    .summary('lift a suspension')
    .description('Lift the suspension of an account.')
    .argument('<username>', 'the account', username)
    .addOption(jsonOption())
    .addHelpText('after', moreOfReinstate)
    .action((username) => set(username, false))
}

async function set(username: string, suspended: boolean): Promise<void> {
  const { accountId, setSuspended } = await import('../../domain/administration.ts')
  const result = await withDatabase(async (database) => {
    const uuid = await accountId(database, username)
    return { uuid, changed: await setSuspended(database, uuid, suspended) }
  })
  const state = suspended ? 'suspended' : 'not suspended'
  printResult(result, () => `${username} is ${result.changed ? 'now' : 'already'} ${state}.`)
}
