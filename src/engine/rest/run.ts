import type { FastifyRequest } from 'fastify'
import type { GraphQLError } from 'graphql'
import { invalid, Refusal } from '../errors.ts'
import { readOperation } from '../execution/pipeline.ts'
import type { PreparedOperation } from '../execution/prepared-operation.ts'
import { RequestContext } from '../execution/request-context.ts'
import type { ApiServices } from '../http/api-services.ts'
import type { Variables } from './variables.ts'

/** The data of an operation, or why it was refused, and the headers of the response. */
export type Result = {
  readonly data?: unknown
  readonly refusal?: Refusal
  readonly headers: Readonly<Record<string, string>>
}

/** Runs an operation of GraphQL. */
export type Run = (operation: PreparedOperation, variables: Variables) => Promise<Result>

/** Runs operations for a request. `nameOf` tells how the request calls a field that an error names. */
export function runner(
  services: ApiServices,
  request: FastifyRequest,
  options: RequestContext['options'],
  nameOf: (field: string) => string,
): Run {
  return async (operation, variables) => {
    const context = new RequestContext(services, request, operation, options)
    const { data, errors, extensions } = await readOperation(services.pipeline, context, variables)
    const [first, ...others] = errors
    const headers = extensions?.http?.headers ?? {}
    return first ? { refusal: refusalOfErrors(first, others, nameOf), headers } : { data, headers }
  }
}

/**
 * One refusal for the errors of a result: the first, with the field errors of all that share its code. `nameOf` tells how the caller
 * wrote a field.
 */
function refusalOfErrors(
  first: GraphQLError,
  others: readonly GraphQLError[],
  nameOf: (field: string) => string,
): Refusal {
  const { originalError: refusal } = first
  if (!(refusal instanceof Refusal)) throw first
  if (refusal.code !== 'VALIDATION_FAILED') return refusal
  const [field, ...fields] = [first, ...others]
    .flatMap(({ originalError: it }) => (it instanceof Refusal && it.code === refusal.code && it.details.errors) || [])
    .map(({ field, message }) => ({ field: nameOf(field), message }))
  return field ? invalid(field, ...fields) : refusal
}
