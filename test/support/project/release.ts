import { buildSchema, type GraphQLSchema } from 'graphql'
import { z } from 'zod'
import { textOf } from './source-files.ts'

/** A declared breaking change: the text of the finding and the reason. */
const declaration = z.strictObject({ change: z.string().min(1), reason: z.string().min(1) })

/** The contents of `test/architecture/released/breaking-changes.json`: the declared changes since a release, by API. */
const declarations = z.strictObject({
  since: z.string().regex(/^\d+\.\d+\.\d+$/),
  graphql: z.array(declaration),
  openapi: z.array(declaration),
})

export type Declaration = z.infer<typeof declaration>

/** Reads the declared breaking changes. */
export function declaredChanges(): z.infer<typeof declarations> {
  return declarations.parse(JSON.parse(textOf('test/architecture/released/breaking-changes.json')))
}

/** Reads a GraphQL schema from a file of the project. */
export function graphqlSchemaOf(path: string): GraphQLSchema {
  return buildSchema(textOf(path))
}

/** Reads an OpenAPI document from a file of the project. */
export function openApiOf(path: string): Record<string, unknown> {
  return z.record(z.string(), z.unknown()).parse(JSON.parse(textOf(path)))
}

/** Undeclared changes, and declarations without a change. */
export function disagreements(changes: readonly string[], declared: readonly Declaration[]) {
  return {
    undeclared: changes.filter((change) => !declared.some((it) => it.change === change)),
    outdated: declared.filter(({ change }) => !changes.includes(change)).map(({ change }) => change),
  }
}
