import {
  type GraphQLCompositeType,
  type GraphQLObjectType,
  getNamedType,
  isCompositeType,
  isIntrospectionType,
  isObjectType,
  type SelectionSetNode,
} from 'graphql'
import type { QueryPlan } from './query-plan.ts'
import type { ExecutableOperation } from './selection.ts'
import { type Selected, Selection, setsOf } from './selection.ts'
import { SqlCompiler } from './sql-compiler.ts'
import { SqlSize } from './sql-size.ts'

/**
 * Compiles every statement that the resolvers of an operation may run, so that a mutation is refused before its write and not after.
 * Throws `VALIDATION_FAILED` when the SQL gets too long, together with that of the plan. The resolvers of planned root fields do not run.
 */
export function compileAhead(executable: ExecutableOperation, plan: QueryPlan | undefined): void {
  const { schema, operation } = executable
  const root = schema.getRootType(operation.operation)
  const selection = new Selection(executable)
  const size = new SqlSize(plan?.statement.text.length)
  const compiler = () => new SqlCompiler(executable, { includeTypename: true, followsMany: true }, size)

  const resolve = (type: GraphQLObjectType, sets: readonly SelectionSetNode[]) => {
    for (const selected of selection.fields(type, sets).values()) {
      if (!selected.field.extensions.read) lookUp(selected)
      // Below a root field, a field with a read is compiled with its object.
      else if (type === root && !plan) compiler().fields([selected])
    }
  }
  const lookUp = ({ field, nodes }: Selected) => {
    const named = getNamedType(field.type)
    if (!isCompositeType(named) || isIntrospectionType(named)) return
    for (const type of possibleTypes(named)) {
      compiler().byId(type, nodes)
      if (!type.extensions.pothosPrismaModel) resolve(type, setsOf(nodes))
    }
  }
  const possibleTypes = (type: GraphQLCompositeType) => (isObjectType(type) ? [type] : schema.getPossibleTypes(type))

  if (root) resolve(root, [operation.selectionSet])
}
