import { TypeNameMetaFieldDef } from 'graphql'
import type { ExecutableOperation } from './selection.ts'
import { Selection } from './selection.ts'
import { type CompiledStatement, type CompilerOptions, emptyStatement, SqlCompiler } from './sql-compiler.ts'

/** How one statement answers a query: each response key with a column of the statement, or with its constant JSON. */
export type QueryPlan = {
  readonly statement: CompiledStatement
  readonly parts: readonly { readonly key: string; readonly column?: string; readonly json?: string }[]
}

/** The plan of an operation that one statement cannot answer: a mutation, introspection, or a query with a root field without a read. */
export const needsResolvers: QueryPlan = { statement: emptyStatement, parts: [] }

/** Plans the one statement that answers a query, or answers `needsResolvers`. */
export function planQuery(
  executable: ExecutableOperation,
  { followsMany }: Pick<CompilerOptions, 'followsMany'>,
): QueryPlan {
  const { schema, operation } = executable
  const root = schema.getQueryType()
  if (!root || operation.operation !== 'query') return needsResolvers
  const fields = [...new Selection(executable).fields(root, [operation.selectionSet])]
  const read = fields.filter(([, { field }]) => field.extensions.read)
  const isWhole = fields.every(([, { field }]) => field.extensions.read || field === TypeNameMetaFieldDef)
  if (!isWhole || read.length === 0) return needsResolvers
  const statement = new SqlCompiler(executable, { includeTypename: false, followsMany }).fields(
    read.map(([, selected]) => selected),
  )
  const columns = new Map(read.map(([key], index) => [key, `f${index}`]))
  const parts = fields.map(([key]) => {
    const column = columns.get(key)
    return column === undefined ? { key, json: JSON.stringify(root.name) } : { key, column }
  })
  return { statement, parts }
}
