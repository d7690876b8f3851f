import { type ExecutionResult, GraphQLError, isNonNullType } from 'graphql'
import type { QueryPlan } from '../reads/query-plan.ts'
import type { NextTurn } from '../reads/reads.ts'
import { encodedAtOnce, encodeInTurns } from './encoded-json.ts'
import { errorLike } from './mask.ts'
import type { Roots } from './prepared-operation.ts'

/** The result of a query with its `data` as JSON: as text, or encoded as UTF-8 if it is long. */
export type JoinedResult = { readonly json: string | Buffer; readonly errors?: readonly GraphQLError[] }

/** The JSON of the parts of a query, in pieces: what its statement returned, and what resolvers returned for the others. */
function jsonOf(
  { parts }: QueryPlan,
  read: readonly (string | undefined)[],
  { data }: ExecutionResult = { data: {} },
): readonly string[] {
  if (!data) return ['null']
  const pieces = parts.flatMap(({ key }, index) => [
    `${index === 0 ? '{' : ','}"${key}":`,
    read[index] ?? JSON.stringify(data[key] ?? null),
  ])
  return [...pieces, '}']
}

/** Joins the JSON of the parts of a query; in several turns of the event loop if it is long. Throws `VALIDATION_FAILED` if it is too large. */
export async function joinedResult(
  plan: QueryPlan,
  read: readonly (string | undefined)[],
  resolved: ExecutionResult | undefined,
  nextTurn: NextTurn,
): Promise<JoinedResult> {
  const pieces = jsonOf(plan, read, resolved)
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0)
  const json = length > encodedAtOnce ? await encodeInTurns(pieces, nextTurn) : pieces.join('')
  return { json, ...(resolved?.errors && { errors: resolved.errors }) }
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
  const json = isNull ? 'null' : jsonOf(plan, withoutRead, resolved).join('')
  return { json, errors: [...failures, ...(resolved?.errors ?? [])] }
}
