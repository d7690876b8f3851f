import { Argument, type Command } from '@commander-js/extra-typings'
import { jsonOption, nextUuid } from './arguments.ts'
import { printResult } from './output.ts'
import { withDatabase } from './with-database.ts'

const more = `
Erases the content and the likes of posts and replies of any author, as if their authors had
deleted them. Their own replies stay. If one of the UUIDs is unknown, nothing is deleted.

With --json: {deleted}, the number of deleted posts and replies

Examples:
  $ rookery post delete 019ab2c4-0000-7000-8000-000000000000
`

/** `rookery post` */
export function addPost(program: Command): void {
  program
    .command('post')
    .description('Moderate posts and replies.')
    .addHelpText('after', '\nExample:\n  $ rookery post delete 019ab2c4-0000-7000-8000-000000000000\n')
    .command('delete')
    .description('Delete posts and replies by UUID.')
    .addArgument(new Argument('<uuids...>', 'the UUIDs of posts and replies, at most 100').argParser(nextUuid))
    .addOption(jsonOption())
    .addHelpText('after', more)
    .action(async (ids: string[]) => {
      const { deletePublications } = await import('../domain/administration.ts')
      const deleted = await withDatabase((database) => deletePublications(database, ids))
      printResult({ deleted }, () => `Posts and replies deleted: ${deleted}.`)
    })
}
