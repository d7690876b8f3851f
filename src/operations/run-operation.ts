import { schema } from '../schema/schema.ts'
import type { GetEnveloped, RequestContext } from './pipeline.ts'
import type { PreparedOperation } from './prepared-operation.ts'

/** Runs one of Rookery's own operations like any other of GraphQL, and parses its data. */
export async function runOperation(
  getEnveloped: GetEnveloped,
  operation: PreparedOperation,
  variableValues: Readonly<Record<string, unknown>>,
  request: RequestContext,
) {
  const { contextFactory, execute } = getEnveloped({ ...request, operation })
  const contextValue = await contextFactory()
  const result = await execute({ schema, document: operation.document, contextValue, variableValues })
  const { errors = [], extensions } = result
  const data: unknown =
    result.stringify && errors.length === 0 ? JSON.parse(result.stringify(result)).data : result.data
  return { data, errors, extensions, contextValue }
}
