import type { Command } from '@commander-js/extra-typings'

const more = `
This command does not need a database.

Examples:
  $ rookery schema > schema.graphql
  $ rookery schema --openapi > openapi.json
`

/** `rookery schema` */
export function addSchema(program: Command): void {
  program
    .command('schema')
    .summary('print the GraphQL schema or the OpenAPI document')
    .description('Print the GraphQL schema, including the scopes that each field requires.')
    .option('--openapi', 'print the OpenAPI document of the REST API instead')
    .addHelpText('after', more)
    .action(async ({ openapi }) => {
      if (openapi) {
        const { printedOpenApi } = await import('../rest/openapi/document.ts')
        process.stdout.write(printedOpenApi())
        return
      }
      const { printedSchema } = await import('../schema/schema.ts')
      process.stdout.write(await printedSchema())
    })
}
