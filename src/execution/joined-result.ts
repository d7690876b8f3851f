import { type ExecutionResult, GraphQLError, isNonNullType } from 'graphql'
import type { QueryPlan } from '../reads/query-plan.ts'
import type { Selected } from '../reads/selection.ts'
import { errorLike } from './mask.ts'

/** The selected root fields of an operation, by response key. */
export type Roots = readonly (readonly [key: string, Selected])[]

/** A query of which one statement answers the root fields that have reads, and resolvers return the others. */
export type PlannedQuery = {
  readonly plan: QueryPlan
  /** The JSON of the root fields, in the order of the plan; an empty text for each that a resolver returns. */
  readonly answered: readonly string[]
  /** What resolvers returned; undefined if there is nothing to resolve. */
  readonly resolved: ExecutionResult | undefined
}

/** The `data` of a planned query as JSON. */
export function joinedJson({ plan, answered, resolved }: PlannedQuery): string {
  const entries = plan.parts.map(
    ({ key }, index) => `"${key}":${answered[index] || JSON.stringify(resolved?.data?.[key])}`,
  )
  return `{${entries.join(',')}}`
}

/** The result of a planned query whose resolvers returned errors. */
export function joinedResult({ plan, answered, resolved = {} }: PlannedQuery): ExecutionResult {
  const { data, errors = [] } = resolved
  if (!data) return { errors, data: null }
  const entries = plan.parts.map(({ key }, index) => {
    const json = answered[index]
    return [key, json ? JSON.parse(json) : data[key]] as const
  })
  return { errors, data: Object.fromEntries(entries) }
}

/** The result of a query whose statement failed: an error at each root field that it reads (GraphQL specification, section 6.4.4). */
export function failedResult(
  { message, originalError, extensions }: GraphQLError,
  roots: Roots,
  { plan, resolved }: Omit<PlannedQuery, 'answered'>,
): ExecutionResult {
  const read = roots.filter(([, { field }]) => field.extensions.read)
  const failed = read.map(([key, { nodes }]) =>
    errorLike(new GraphQLError('', { nodes, path: [key] }), message, originalError, extensions),
  )
  const rest = joinedResult({
    plan,
    resolved: resolved ?? { data: {} },
    answered: plan.parts.map(({ column, json }) => json ?? (column ? 'null' : '')),
  })
  const data = read.some(([, { field }]) => isNonNullType(field.type)) ? null : rest.data
  return { errors: [...failed, ...(rest.errors ?? [])], data: data ?? null }
}
