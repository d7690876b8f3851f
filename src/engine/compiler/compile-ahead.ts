import { type GraphQLSchema, getNamedType, isAbstractType, isIntrospectionType, isObjectType } from 'graphql'
import type { QueryPlan } from './query-plan.ts'
import type { ReaderKind } from './reader.ts'
import { type ExecutableOperation, type Selected, Selection } from './selection.ts'
import { SqlCompiler } from './sql-compiler.ts'
import { SqlSize } from './sql-size.ts'

/**
 * Compiles every statement that the resolvers of an operation may run, so that a mutation is refused before its write and not after.
 * Throws `VALIDATION_FAILED` when the SQL gets too long, together with that of the plan. The resolvers of planned root fields do not run.
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
