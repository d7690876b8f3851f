import { type ExecutionResult, GraphQLError, isNonNullType } from 'graphql'
import type { QueryPlan } from '../reads/query-plan.ts'
import type { NextTurn } from '../reads/reads.ts'
import { encodedAtOnce, encodeInTurns } from './encoded-json.ts'
import { errorLike } from './mask.ts'
import type { Roots } from './prepared-operation.ts'

/**
 * The result of a query as the JSON of its response (GraphQL specification, section 7): as text, or encoded as UTF-8 if it is or could have
 * been long.
 */
export type JoinedResult = {
  readonly json: string | Buffer
  /** Whether `data` is not null. */
  readonly hasData: boolean
  readonly errors?: readonly GraphQLError[]
}

/** What a statement returned for the parts of a query; undefined for those that resolvers returned. */
type ReadParts = readonly (string | Buffer | undefined)[]

/** The JSON of a response, in pieces: what the statement of the query returned, and what resolvers returned for the other parts. */
function jsonOf(
  { parts }: QueryPlan,
  read: ReadParts,
  { data, errors }: ExecutionResult = { data: {} },
): readonly (string | Buffer)[] {
  const before = `{${errors ? `"errors":${JSON.stringify(errors)},` : ''}"data":`
  if (!data) return [before, 'null}']
  const pieces = parts.flatMap(({ key }, index) => [
    `${index === 0 ? '{' : ','}"${key}":`,
    read[index] ?? JSON.stringify(data[key] ?? null),
  ])
  return [before, ...pieces, '}}']
}

/** Joins the parts of a query; in several turns of the event loop if they are long. Throws `VALIDATION_FAILED` if they are too large. */
export async function joinedResult(
  plan: QueryPlan,
  read: ReadParts,
  resolved: ExecutionResult | undefined,
  nextTurn: NextTurn,
): Promise<JoinedResult> {
  const pieces = jsonOf(plan, read, resolved)
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0)
  const isText = length <= encodedAtOnce && pieces.every((piece) => typeof piece === 'string')
  const json = isText ? pieces.join('') : await encodeInTurns(pieces, nextTurn)
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
  const json = jsonOf(plan, withoutRead, { data, errors }).join('')
  return { json, hasData: Boolean(data), errors }
}
