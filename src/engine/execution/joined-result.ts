import { type ExecutionResult, isNonNullType } from 'graphql'
import type { QueryPlan } from '../compiler/query-plan.ts'
import { maxResponseBytes, tooLarge } from '../compiler/response-size.ts'
import type { Refusal } from '../errors.ts'
import { graphQLError } from './mask.ts'
import type { Roots } from './operation-analysis.ts'
import type { CompiledResult } from './plugin.ts'

/** What a statement returned for the parts of a query; undefined for those that resolvers returned. */
type ReadParts = readonly (string | undefined)[]

/** What makes the JSON of a response (GraphQL specification, section 7): what the statement of the query returned, and what resolvers returned for the other parts. */
function jsonWith({ parts }: QueryPlan, read: ReadParts) {
  return ({ data, errors, extensions }: ExecutionResult): string => {
    const before = `{${errors ? `"errors":${JSON.stringify(errors)},` : ''}"data":`
    const after =
      extensions && Object.keys(extensions).length > 0 ? `,"extensions":${JSON.stringify(extensions)}}` : '}'
    if (!data) return `${before}null${after}`
    const fields = parts.map(({ key }, index) => `"${key}":${read[index] ?? JSON.stringify(data[key] ?? null)}`)
    return `${before}{${fields.join(',')}}${after}`
  }
}

/** The result of a query that resolvers return as a whole. Throws `VALIDATION_FAILED` when it is too large. */
export function resolvedResult(result: ExecutionResult<Record<string, unknown>>): CompiledResult {
  const bytes = Buffer.byteLength(JSON.stringify(result.data ?? null))
  if (bytes > maxResponseBytes) throw tooLarge(bytes)
  return result
}

/** Joins what the statement of a query returned and what resolvers returned. Throws `VALIDATION_FAILED` when they are too large together. */
export function joinedResult(plan: QueryPlan, read: ReadParts, resolved: ExecutionResult | undefined): CompiledResult {
  const stringify = jsonWith(plan, read)
  if (!resolved) return { data: {}, stringify }
  const bytes = Buffer.byteLength(stringify(resolved))
  if (bytes > maxResponseBytes) throw tooLarge(bytes)
  return { ...resolved, stringify }
}

/** The result of a query whose statement failed: the refusal at each root field that it reads (GraphQL specification, section 6.4.4). */
export function failedResult(
  refusal: Refusal,
  roots: Roots,
  plan: QueryPlan,
  resolved: ExecutionResult = { data: {} },
): CompiledResult {
  const failing = roots.filter(([, { field }]) => field.extensions.read)
  const isWhole = !resolved.data || failing.some(([, { field }]) => isNonNullType(field.type))
  const failures = failing.map(([key, { nodes }]) =>
    graphQLError(refusal, isWhole ? 'whole' : 'field', { nodes, path: [key] }),
  )
  const data = isWhole ? null : (resolved.data ?? null)
  const withoutRead = plan.parts.map(({ column, json }) => json ?? (column && 'null'))
  const errors = [...failures, ...(resolved.errors ?? [])]
  return { data, errors, stringify: jsonWith(plan, withoutRead) }
}
