import type { Command } from '@commander-js/extra-typings'
import { addUserCreate } from './create.ts'
import { addUserDelete } from './delete.ts'
import { addUserList } from './list.ts'
import { addUserResetPassword } from './reset-password.ts'
import { addUserShow } from './show.ts'
import { addUserReinstate, addUserSuspend } from './suspend.ts'

const more = `
Examples:
  $ rookery user create robin --email robin@example.org
  $ rookery user list --limit 50
  $ rookery user reset-password robin
  $ rookery user suspend robin
`

/** `rookery user` */
export function addUser(program: Command): void {
  const user = program
    .command('user')
    .summary('manage accounts')
    .description('Manage accounts.')
    .addHelpText('after', more)
  addUserCreate(user)
  addUserList(user)
  addUserShow(user)
  addUserResetPassword(user)
  addUserSuspend(user)
  addUserReinstate(user)
  addUserDelete(user)
}
