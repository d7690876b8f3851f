import type { Command } from '@commander-js/extra-typings'

const more = `
Needs no database.

Examples:
  $ rookery schema > schema.graphql
`

/** `rookery schema` */
export function addSchema(program: Command): void {
  program
    .command('schema')
    .summary('print the GraphQL schema')
    .description('Print the GraphQL schema, with what each field needs of a token.')
    .addHelpText('after', more)
    .action(async () => {
      const { printedSchema } = await import('../schema/schema.ts')
      process.stdout.write(await printedSchema())
    })
}
