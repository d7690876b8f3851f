import {
  type FieldNode,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isIntrospectionType,
  isObjectType,
  type OperationDefinitionNode,
  TypeNameMetaFieldDef,
} from 'graphql'
import { LRUCache } from 'lru-cache'
import { structuralVariables } from './arguments.ts'
import type { ReaderKind } from './field-reads.ts'
import { SqlSize } from './limits.ts'
import { type ExecutableOperation, type Selected, Selection } from './selection.ts'
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

/**
 * Compiles every statement that the resolvers of an operation may run, so that a mutation is refused before its write and not after.
 * Throws `InvalidOperation` when the SQL gets too long, together with that of the plan. The resolvers of planned root fields do not run.
 */
export function compileAhead(executable: ExecutableOperation, longest: ReaderKind, plan: QueryPlan | undefined): void {
  const { schema, operation } = executable
  const root = schema.getRootType(operation.operation)
  if (!root) return
  const size = new SqlSize(plan?.text.length)
  const compiler = () => new SqlCompiler(executable, { includeTypename: true, reader: longest }, size)
  for (const selected of new Selection(executable).fields(root, [operation.selectionSet]).values()) {
    if (!selected.field.extensions.read) {
      for (const type of typesFound(schema, selected)) compiler().byId(type, selected.nodes)
    } else if (!plan) {
      compiler().fields([selected])
    }
  }
}

/** The types whose objects the resolver of a root field may look up. */
function typesFound(schema: GraphQLSchema, { field }: Selected) {
  const type = getNamedType(field.type)
  if (isAbstractType(type)) return schema.getPossibleTypes(type)
  return isObjectType(type) && !isIntrospectionType(type) ? [type] : []
}

/** How many bytes the statements of a cache take at most, and one of them besides its text. */
const statementBytes = 16 * 2 ** 20
const bytesBesideText = 4_000

/** An operation in the keys of a cache, and the variables that change its SQL. */
type Known = { readonly id: number; readonly structural: readonly string[] }

/** Caches what is compiled for operations, once for each state of the variables that change the SQL itself. */
class StatementCache<T extends { readonly text: string }> {
  readonly #operations = new WeakMap<OperationDefinitionNode, Known>()
  readonly #values = new LRUCache<string, T>({
    maxSize: statementBytes,
    sizeCalculation: ({ text }) => text.length + bytesBesideText,
  })
  #lastId = 0

  /** The value of a part of the operation, which `key` names; compiled when it is first asked for. */
  get(executable: ExecutableOperation, key: string, compile: () => T): T {
    const { id, structural } = this.#operations.get(executable.operation) ?? this.#add(executable)
    const fullKey = structural.length === 0 ? `${id} ${key}` : `${id} ${key} ${stateOf(executable, structural)}`
    const cached = this.#values.get(fullKey)
    if (cached !== undefined) return cached
    const value = compile()
    this.#values.set(fullKey, value)
    return value
  }

  #add(executable: ExecutableOperation): Known {
    this.#lastId += 1
    const added = { id: this.#lastId, structural: structuralVariables(executable) }
    this.#operations.set(executable.operation, added)
    return added
  }
}

/** What is compiled for the operations of one server. */
export class CompiledOperations {
  readonly plans = new StatementCache<QueryPlan>()
  readonly statements = new StatementCache<CompiledStatement>()
}

/** The state of variables as far as it changes the SQL: null, false, or set to anything else. */
function stateOf({ variableValues }: ExecutableOperation, names: readonly string[]): string {
  const states = names.map((name) => {
    const value = Object.hasOwn(variableValues, name) ? variableValues[name] : null
    return value === null || value === undefined ? 'null' : value === false ? 'false' : 'set'
  })
  return states.join(' ')
}
