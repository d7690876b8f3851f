import type { Command } from '@commander-js/extra-typings'
import { addPostDelete } from './delete.ts'

const more = `
Examples:
  $ rookery post delete 019ab2c4-0000-7000-8000-000000000000
`

/** `rookery post` */
export function addPost(program: Command): void {
  const post = program
    .command('post')
    .summary('moderate posts and replies')
    .description('Moderate posts and replies.')
    .addHelpText('after', more)
  addPostDelete(post)
}
