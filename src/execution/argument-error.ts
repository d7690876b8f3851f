import { type FieldNode, GraphQLError, type OperationDefinitionNode } from 'graphql'
import { Refusal } from '../errors.ts'
import { withoutPrintedValue } from './mask.ts'

/** A refusal as a GraphQL error at a place of the document. */
export function refusedAt(originalError: Refusal, nodes: FieldNode | OperationDefinitionNode): GraphQLError {
  return new GraphQLError(originalError.message, { nodes, originalError })
}

/** The error of a field's arguments. Rethrows any other error. */
export function argumentError(error: unknown, node: FieldNode): GraphQLError {
  if (error instanceof Refusal) return refusedAt(error, node)
  if (error instanceof GraphQLError) return withoutPrintedValue(error)
  throw error
}
