import type { Command } from '@commander-js/extra-typings'
import { jsonOption } from '../arguments.ts'
import { printResult } from '../output.ts'
import { withDatabase } from '../with-database.ts'
import { readDocuments } from './manifest.ts'

const more = `
A .json file is Apollo's manifest of persisted queries, or an object from SHA-256 hashes to
documents, as Relay and GraphQL Code Generator write it. Any other file is one document.
Each document must be valid in the schema and within its limits; otherwise none is stored.

With --json: {added, known, hashes}; known is how many were stored before

Examples:
  $ rookery documents add persisted-query-manifest.json
  $ rookery documents add timeline.graphql profile.graphql
`

/** `rookery documents add` */
export function addDocumentsAdd(documents: Command): void {
  documents
    .command('add')
    .summary('store documents')
    .description('Store the GraphQL documents of a trusted client.')
    .argument('<files...>', 'manifests or documents')
    .addOption(jsonOption())
    .addHelpText('after', more)
    .action(async (files) => {
      const { checkDocuments } = await import('./check.ts')
      const { addDocuments, documentHash } = await import('../../domain/trusted-documents.ts')
      const sources = [...new Set((await Promise.all(files.map(readDocuments))).flat())]
      const checked = checkDocuments(sources)
      const added = await withDatabase((database) => addDocuments(database, checked))
      const known = checked.length - added
      printResult(
        { added, known, hashes: sources.map(documentHash) },
        () => `Documents added: ${added}. Stored before: ${known}.`,
      )
    })
}
