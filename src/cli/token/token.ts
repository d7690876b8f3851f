import type { Command } from '@commander-js/extra-typings'
import { addTokenCreate } from './create.ts'
import { addTokenList } from './list.ts'
import { addTokenRevoke } from './revoke.ts'

const more = `
Examples:
  $ rookery token create robin --scopes post.get,reply.get --days 30
  $ rookery token list robin
  $ rookery token revoke 019ab2c4-0000-7000-8000-000000000000
`

/** `rookery token` */
export function addToken(program: Command): void {
  const token = program
    .command('token')
    .summary('manage bearer tokens')
    .description('Manage the bearer tokens of an account.')
    .addHelpText('after', more)
  addTokenCreate(token)
  addTokenList(token)
  addTokenRevoke(token)
}
