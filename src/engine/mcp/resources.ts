import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { packageFolder } from '../package-folder.ts'

/** A text that agents can read. */
type Resource = {
  readonly uri: string
  readonly name: string
  readonly description: string
  readonly mimeType: string
  readonly text: string
}

const schema = {
  file: 'schema.graphql',
  description: 'The whole GraphQL schema, 80 KB. search_schema finds its parts.',
  mimeType: 'application/graphql',
}

const rules = {
  file: 'docs/api.md',
  description: 'The rules of the server: tokens, lists, errors and their codes, retries, limits, prices and budgets.',
  mimeType: 'text/markdown',
}

/** Reads the schema, unless it is hidden, and the rules of the server from the package. */
export function readResources({ introspection }: { readonly introspection: boolean }): Promise<readonly Resource[]> {
  return Promise.all(
    (introspection ? [schema, rules] : [rules]).map(async ({ file, ...facts }) => ({
      ...facts,
      uri: `rookery:${file}`,
      name: file,
      text: await readFile(join(packageFolder, file), 'utf8'),
    })),
  )
}
