import { type FieldNode, TypeNameMetaFieldDef } from 'graphql'
import type { ReaderKind } from './reader.ts'
import type { ExecutableOperation } from './selection.ts'
import { Selection } from './selection.ts'
import { type CompiledStatement, emptyStatement, SqlCompiler } from './sql-compiler.ts'

/** A root field of a query, by its response key: the column of the statement, its constant JSON, or neither if a resolver returns it. */
type RootPart = { readonly key: string; readonly column?: string; readonly json?: string }

/** How one statement answers the root fields of a query that have reads. Resolvers return the others. */
export type QueryPlan = CompiledStatement & {
  readonly parts: readonly RootPart[]
  /** The nodes of the root fields that resolvers return. */
  readonly resolved: readonly FieldNode[]
}

/** The plan of a mutation, or of a query without a root field that has a read. */
export const needsResolvers: QueryPlan = { ...emptyStatement, parts: [], resolved: [] }

/** Plans the statement of a query. Returns `needsResolvers` for a mutation, and for a query without a root field that has a read. */
export function planQuery(executable: ExecutableOperation, reader: ReaderKind): QueryPlan {
  const { schema, operation } = executable
  const root = schema.getQueryType()
  if (!root || operation.operation !== 'query') return needsResolvers
  const fields = [...new Selection(executable).fields(root, [operation.selectionSet])]
  const read = fields.filter(([, { field }]) => field.extensions.read)
  if (read.length === 0) return needsResolvers
  const statement = new SqlCompiler(executable, { includeTypename: false, reader }).fields(
    read.map(([, selected]) => selected),
  )
  const columns = new Map(read.map(([key], index) => [key, `f${index}`]))
  const parts = fields.map(([key, { field }]) => {
    const column = columns.get(key)
    if (column !== undefined) return { key, column }
    return field === TypeNameMetaFieldDef ? { key, json: JSON.stringify(root.name) } : { key }
  })
  const resolved = fields.filter(([, { field }]) => !field.extensions.read && field !== TypeNameMetaFieldDef)
  return { ...statement, parts, resolved: resolved.flatMap(([, { nodes }]) => nodes) }
}
