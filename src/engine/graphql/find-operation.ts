import type { FastifyRequest } from 'fastify'
import type { GraphQLError } from 'graphql'
import type { VariableValues } from '../compiler/selection.ts'
import type { Documents } from '../execution/documents.ts'
import type { PreparedOperation } from '../execution/prepared-operation.ts'
import type { Parameters } from './parameters.ts'
import type { TrustedDocuments } from './trusted-documents.ts'

/** The operation that a request asks for, with its variables as they were sent. */
export type RequestedOperation = { readonly operation: PreparedOperation; readonly variables: VariableValues }

/** What is wrong with a document. */
type InvalidDocument = { readonly errors: readonly GraphQLError[] }

/**
 * Finds the operation that the parameters of a request ask for, or the errors of its document. Documents that are sent without a token are
 * not cached, unless they are trusted.
 */
export async function findOperation(
  documents: Documents,
  trusted: TrustedDocuments,
  { viewer, lifetime, logEntry }: Pick<FastifyRequest, 'viewer' | 'lifetime' | 'logEntry'>,
  parameters: Parameters,
): Promise<RequestedOperation | InvalidDocument> {
  const { source, isTrusted } = await trusted.sourceOf(parameters)
  const kind = { isTrusted, isKept: isTrusted || viewer !== undefined }
  const loaded = documents.known(source, kind) ?? (await documents.find(source, kind, lifetime))
  if ('errors' in loaded) return loaded
  const operation = loaded.operation(parameters.operationName || undefined)
  logEntry.operation = operation.name
  logEntry.isOperationKnown = isTrusted
  return { operation, variables: parameters.variables ?? {} }
}
