import type { Command } from '@commander-js/extra-typings'
import { afterOption, jsonOption, limitOption } from '../arguments.ts'
import { minute, nextPage, plain, printResult, table } from '../output.ts'
import { withDatabase } from '../with-database.ts'

const more = `
Newest first. Times are in UTC.

With --json: {documents: [{uuid, hash, operations, createdAt}…], next}; next is the UUID
for --after, or null on the last page.

Examples:
  $ rookery documents list --limit 100
`

/** `rookery documents list` */
export function addDocumentsList(documents: Command): void {
  documents
    .command('list')
    .summary('list stored documents')
    .description('List the stored documents, one page at a time.')
    .addOption(limitOption())
    .addOption(afterOption())
    .addOption(jsonOption())
    .addHelpText('after', more)
    .action(async ({ limit, after }) => {
      const { listDocuments } = await import('../../domain/trusted-documents.ts')
      const { rows, next } = await withDatabase((database) => listDocuments(database, { limit, after }))
      const listed = rows.map(({ id, ...document }) => ({ uuid: id, ...document }))
      printResult({ documents: listed, next }, () => {
        if (listed.length === 0) return 'No documents.'
        const cells = listed.map(({ hash, createdAt, operations }) => [
          hash,
          minute(createdAt, '-'),
          plain(operations.join(', ')),
        ])
        return table(['SHA-256', 'CREATED', 'OPERATIONS'], cells) + nextPage('documents list', limit, next)
      })
    })
}
