import { type ExecutionResult, GraphQLError, isNonNullType } from 'graphql'
import type { QueryPlan } from '../reads/query-plan.ts'
import { maxResponseBytes, tooLarge } from '../reads/response-size.ts'
import { errorLike } from './mask.ts'
import type { Roots } from './prepared-operation.ts'

/** The result of a query as the JSON of its response (GraphQL specification, section 7). */
export type JoinedResult = {
  readonly json: string
  /** Whether `data` is not null. */
  readonly hasData: boolean
  readonly errors?: readonly GraphQLError[]
}

/** What a statement returned for the parts of a query; undefined for those that resolvers returned. */
type ReadParts = readonly (string | undefined)[]

/** The JSON of a response: what the statement of the query returned, and what resolvers returned for the other parts. */
function jsonOf({ parts }: QueryPlan, read: ReadParts, { data, errors }: ExecutionResult = { data: {} }): string {
  const before = `{${errors ? `"errors":${JSON.stringify(errors)},` : ''}"data":`
  if (!data) return `${before}null}`
  const fields = parts.map(({ key }, index) => `"${key}":${read[index] ?? JSON.stringify(data[key] ?? null)}`)
  return `${before}{${fields.join(',')}}}`
}

/** Joins what the statement of a query returned and what resolvers returned. Throws `VALIDATION_FAILED` when they are too large together. */
export function joinedResult(plan: QueryPlan, read: ReadParts, resolved: ExecutionResult | undefined): JoinedResult {
  const json = jsonOf(plan, read, resolved)
  const bytes = resolved ? Buffer.byteLength(json) : 0
  if (bytes > maxResponseBytes) throw tooLarge(bytes)
  return { json, hasData: !resolved || Boolean(resolved.data), ...(resolved?.errors && { errors: resolved.errors }) }
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
  const isNull = failed.some(([, { field }]) => isNonNullType(field.type))
  const errors = [...failures, ...(resolved?.errors ?? [])]
  const { data = null } = isNull ? {} : (resolved ?? { data: {} })
  const json = jsonOf(plan, withoutRead, { data, errors })
  return { json, hasData: Boolean(data), errors }
}
