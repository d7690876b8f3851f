import type { Command } from '@commander-js/extra-typings'
import { addDocumentsAdd } from './add.ts'
import { addDocumentsList } from './list.ts'
import { addDocumentsRemove } from './remove.ts'

const more = `
A client sends the hash of a stored document instead of the document, as "documentId" or
as a persisted query. With DOCUMENTS=trusted, a server runs no other documents.

Examples:
  $ rookery documents add persisted-query-manifest.json
  $ rookery documents list
`

/** `rookery documents` */
export function addDocuments(program: Command): void {
  const documents = program
    .command('documents')
    .summary('manage trusted GraphQL documents')
    .description('Manage the GraphQL documents of trusted clients.')
    .addHelpText('after', more)
  addDocumentsAdd(documents)
  addDocumentsList(documents)
  addDocumentsRemove(documents)
}
