import type { FastifyRequest } from 'fastify'
import type { GraphQLError } from 'graphql'
import { Refusal } from '../errors.ts'
import type { Documents } from '../execution/documents.ts'
import { graphQLError } from '../execution/mask.ts'
import type { PreparedOperation } from '../execution/prepared-operation.ts'
import { readQuery } from '../http/url.ts'
import type { VariableValues } from '../reads/selection.ts'
import { parametersIn, parametersInUrl } from './parameters.ts'
import type { TrustedDocuments } from './trusted-documents.ts'

/** The operation that a request asks for, with its variables as they were sent. */
export type Asked = { readonly operation: PreparedOperation; readonly variables: VariableValues }

/** What is wrong with a document. */
export type Failed = { readonly errors: readonly GraphQLError[] }

/**
 * Finds the operation that a request asks for, or the errors of its document. Documents that are sent without a token are not cached,
 * unless they are trusted.
 */
export async function findOperation(
  documents: Documents,
  trusted: TrustedDocuments,
  request: FastifyRequest,
): Promise<Asked | Failed> {
  const { identity, lifetime, notes, method, raw, body } = request
  const parameters = method === 'POST' ? parametersIn(body) : parametersInUrl(readQuery(raw))
  const { source, isTrusted } = await trusted.sourceOf(parameters)
  const kind = { isTrusted, isKept: isTrusted || identity.session !== undefined }
  const loaded = documents.known(source, kind) ?? (await documents.find(source, kind, lifetime))
  if ('errors' in loaded) return loaded
  const operation = loaded.operation(parameters.operationName || undefined)
  notes.operation = operation.name
  notes.isOperationKnown = isTrusted
  if (operation.operation.operation === 'mutation' && method !== 'POST') {
    const refusal = new Refusal('METHOD_NOT_ALLOWED', 'Send mutations with POST.', { headers: { allow: 'POST' } })
    throw graphQLError(refusal, 'operation')
  }
  return { operation, variables: parameters.variables ?? {} }
}
