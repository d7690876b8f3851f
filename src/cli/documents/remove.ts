import { type Command, CommanderError } from '@commander-js/extra-typings'
import { jsonOption } from '../arguments.ts'
import { printResult } from '../output.ts'
import { withDatabase } from '../with-database.ts'

const more = `
"rookery documents list" prints the hashes. If one of them is unknown, no document is removed.
A running server refuses removed documents within 5 seconds.

With --json: {removed}, the number of removed documents

Examples:
  $ rookery documents remove 6f5902ac237024bdd0c176cb93063dc4e5a2c6d0b1c2a3f4e5d6c7b8a9f0e1d2
  $ rookery documents remove --all
`

/** `rookery documents remove` */
export function addDocumentsRemove(documents: Command): void {
  documents
    .command('remove')
    .summary('remove documents')
    .description('Remove stored documents by their hashes, or all of them.')
    .argument('[hashes...]', 'the SHA-256 hashes of the documents')
    .option('--all', 'remove all documents')
    .addOption(jsonOption())
    .addHelpText('after', more)
    .action(async (hashes, { all = false }) => {
      if ((hashes.length === 0) === !all) {
        throw new CommanderError(2, 'commander.conflictingOption', 'Give either hashes or --all.')
      }
      const { removeAllDocuments, removeDocuments } = await import('../../domain/trusted-documents.ts')
      const lower = hashes.map((hash) => hash.toLowerCase())
      const removed = await withDatabase((database) =>
        all ? removeAllDocuments(database) : removeDocuments(database, lower),
      )
      printResult({ removed }, () => `Documents removed: ${removed}.`)
    })
}
