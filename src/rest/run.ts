import type { FastifyRequest } from 'fastify'
import type { Refusal } from '../errors.ts'
import { readOperation } from '../execution/pipeline.ts'
import type { PreparedOperation } from '../execution/prepared-operation.ts'
import type { ApiServices } from '../http/api-services.ts'
import { RequestContext } from '../schema/request-context.ts'
import { refusalOfErrors } from './problem.ts'
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
