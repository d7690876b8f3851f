import { buildSchema, findBreakingChanges, findDangerousChanges, type GraphQLSchema } from 'graphql'
import { z } from 'zod'
import { breakingOpenApiChanges } from './openapi-changes.ts'
import { textOf } from './source-files.ts'

/** A breaking change that is meant: in the words that it is found in, and why it has to be. */
const declaration = z.strictObject({ change: z.string().min(1), reason: z.string().min(1) })

/** What `released/breaking-changes.json` holds: what is to break since a release, on each surface. */
const declarations = z.strictObject({
  since: z.string().regex(/^\d+\.\d+\.\d+$/),
  graphql: z.array(declaration),
  openapi: z.array(declaration),
})

export type Declaration = z.infer<typeof declaration>

/** The breaking changes that are declared. */
export function declaredChanges(): z.infer<typeof declarations> {
  return declarations.parse(JSON.parse(textOf('released/breaking-changes.json')))
}

/** What breaks clients between two GraphQL schemas, a line for each, in the words of graphql-js. */
export function breakingGraphQLChanges(before: GraphQLSchema, after: GraphQLSchema): string[] {
  return findBreakingChanges(before, after).map(({ description }) => description)
}

/** What may surprise clients between two GraphQL schemas, such as a new value of an enum. */
export function dangerousGraphQLChanges(before: GraphQLSchema, after: GraphQLSchema): string[] {
  return findDangerousChanges(before, after).map(({ description }) => description)
}

/** The schema that a file of the project describes. */
export function graphqlSchemaOf(path: string): GraphQLSchema {
  return buildSchema(textOf(path))
}

/** What breaks clients between two files of the project that hold OpenAPI documents. */
export function breakingChangesOfFiles(before: string, after: string): string[] {
  const document = z.record(z.string(), z.json())
  const [was, is] = [before, after].map((path) => document.parse(JSON.parse(textOf(path))))
  return breakingOpenApiChanges(was ?? {}, is ?? {})
}

/** How changes and declarations disagree: changes that nobody declared, and declarations of what does not change. */
export function disagreements(changes: readonly string[], declared: readonly Declaration[]) {
  return {
    undeclared: changes.filter((change) => !declared.some((it) => it.change === change)),
    outdated: declared.filter(({ change }) => !changes.includes(change)).map(({ change }) => change),
  }
}
