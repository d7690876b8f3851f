import type { Command } from '@commander-js/extra-typings'
import { addCommand, addListCommand } from './command.ts'
import { minute, plain, print, printPage, write } from './output.ts'
import { withDatabase } from './with-database.ts'

/** `rookery documents` */
export function addDocuments(program: Command): void {
  const documents = addCommand(program, 'documents', 'Manage the GraphQL documents of trusted clients.', {
    more: `
A client sends the hash of a stored document instead of the document, as "documentId" or
as a persisted query. With DOCUMENTS=trusted, a server runs no other documents.`,
  })

  addCommand(documents, 'add', 'Store the GraphQL documents of a trusted client.', {
    more: `
A .json file is a persisted query manifest of Apollo, or an object that maps SHA-256 hashes to
documents, as Relay and GraphQL Code Generator write it. Any other file is one document.
If a document does not match the schema or exceeds a limit, none is stored.

With --tool, agents can call each document as a tool at /mcp. The tool has the name and the
description of the operation, and replaces an earlier tool of the same name.`,
    json: '{added, known, hashes}; known is the number of documents that were already stored.',
    examples: ['rookery documents add persisted-query-manifest.json', 'rookery documents add --tool news.graphql'],
  })
    .argument('<files...>', 'manifests or documents')
    .option('--tool', 'offer each document to agents as a tool')
    .action(async (files, { tool = false }) => {
      const { checkDocuments, readDocuments } = await import('./document-files.ts')
      const { addDocuments, documentHash } = await import('../engine/graphql/stored-documents.ts')
      const sources = [...new Set((await Promise.all(files.map(readDocuments))).flat())]
      const checked = checkDocuments(sources, { areTools: tool })
      const added = await withDatabase((database) => addDocuments(database, checked))
      const known = checked.length - added
      await print(
        { added, known, hashes: sources.map(documentHash) },
        `Documents added: ${added}. Already stored: ${known}.`,
      )
    })

  const fields = 'uuid, hash, operations, tool, createdAt'
  addListCommand(documents, 'List the stored documents', 'documents', fields).action(async ({ limit, after }) => {
    const { listDocuments } = await import('../engine/graphql/stored-documents.ts')
    const page = await withDatabase((database) => listDocuments(database, { limit, after }))
    await printPage('documents', page, `documents list --limit ${limit}`, {
      'SHA-256': ({ hash }) => hash,
      CREATED: ({ createdAt }) => minute(createdAt),
      TOOL: ({ tool }) => plain(tool ?? ''),
      OPERATIONS: ({ operations }) => plain(operations.join(', ')),
    })
  })

  addCommand(documents, 'remove', 'Remove stored documents by their hashes, or all of them.', {
    more: `
"rookery documents list" prints the hashes. If one of them is unknown, no document is removed.
A running server refuses removed documents within 5 seconds.`,
    json: '{removed}, the number of removed documents.',
  })
    .argument('[hashes...]', 'the SHA-256 hashes of the documents')
    .option('--all', 'remove all documents')
    .action(async (hashes, { all = false }, command) => {
      if ((hashes.length === 0) === !all) command.error('Give either hashes or --all.')
      const { removeAllDocuments, removeDocuments } = await import('../engine/graphql/stored-documents.ts')
      const lower = hashes.map((hash) => hash.toLowerCase())
      const removed = await withDatabase((database) =>
        all ? removeAllDocuments(database) : removeDocuments(database, lower),
      )
      await print({ removed }, `Documents removed: ${removed}.`)
    })
}

/** `rookery schema` */
export function addSchema(program: Command): void {
  addCommand(program, 'schema', 'Print the GraphQL schema, or the OpenAPI document of the REST API.', {
    more: 'This command does not need a database.',
    examples: ['rookery schema > schema.graphql', 'rookery schema --openapi > openapi.json'],
  })
    .option('--openapi', 'print the OpenAPI document of the REST API instead')
    .action(async ({ openapi }) => {
      const printed = openapi ? await printedInterface() : await (await import('../server/schema.ts')).printedSchema()
      await write(printed)
    })
}

async function printedInterface(): Promise<string> {
  const [{ printedOpenApi }, { rest }, { schema }] = await Promise.all([
    import('../engine/rest/openapi/document.ts'),
    import('../server/rest.ts'),
    import('../server/schema.ts'),
  ])
  return printedOpenApi(rest, schema)
}
