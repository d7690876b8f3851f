import { type ExecutionResult, GraphQLError, isNonNullType } from 'graphql'
import type { QueryPlan } from '../reads/query-plan.ts'
import { errorLike } from './mask.ts'
import type { Roots } from './prepared-operation.ts'

/** The result of a query with its `data` as JSON text. */
export type JoinedResult = { readonly json: string; readonly errors?: readonly GraphQLError[] }

/** Joins the JSON that the statement of a query returned for the parts of its plan, and what resolvers returned for the others. */
export function joinedResult(
  { parts }: QueryPlan,
  read: readonly (string | undefined)[],
  { data, errors }: ExecutionResult = { data: {} },
): JoinedResult {
  const jsonOf = (key: string, index: number) => read[index] ?? JSON.stringify(data?.[key] ?? null)
  const json = data ? `{${parts.map(({ key }, index) => `"${key}":${jsonOf(key, index)}`).join(',')}}` : 'null'
  return { json, ...(errors && { errors }) }
}

/** The result of a query whose statement failed: an error at each root field that it reads (GraphQL specification, section 6.4.4). */
export function failedResult(
  { message, originalError, extensions }: GraphQLError,
  roots: Roots,
  plan: QueryPlan,
  resolved: ExecutionResult | undefined,
): JoinedResult {
  const failed = roots.filter(([, { field }]) => field.extensions.read)
  const failures = failed.map(([key, { nodes }]) =>
    errorLike(new GraphQLError('', { nodes, path: [key] }), message, originalError, extensions),
  )
  const withoutRead = plan.parts.map(({ column, json }) => json ?? (column && 'null'))
  const { json, errors = [] } = joinedResult(plan, withoutRead, resolved)
  const isNull = failed.some(([, { field }]) => isNonNullType(field.type))
  return { json: isNull ? 'null' : json, errors: [...failures, ...errors] }
}
