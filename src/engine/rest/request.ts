import type { FastifyRequest } from 'fastify'
import type { PreparedOperation } from '../execution/prepared-operation.ts'
import { fieldAt, pathsOfVariables } from '../execution/value-errors.ts'
import { preferredWait } from './long-poll.ts'
import type { Operation } from './operation.ts'
import { type RequestedPage, readPage } from './pages.ts'
import { bodyVariables, queryVariables, type Variables } from './variables.ts'

/** What a request asks for. */
type RestRequest = {
  readonly variables: Variables
  /** How the request calls a field of the document. */
  readonly nameOf: (field: string) => string
  /** The page of a list. */
  readonly page: RequestedPage | undefined
  /** For how long it waits for changes. */
  readonly seconds: number
}

/** What reads the requests of an operation: their path, query and body. Throws `VALIDATION_FAILED`. */
export function requestReader(definition: Operation, operation: PreparedOperation, prefix: string) {
  const { body: fields, query, list } = definition
  const variableAt = new Map([...pathsOfVariables(operation)].map(([name, path]) => [fieldAt(path), name]))
  /** The variable, named like the field or parameter that sets it, that is used at this place of the document. */
  const variableOf = (field: string) => field.replace(/^[^[]*/, (place) => variableAt.get(place) ?? place)

  return (request: FastifyRequest): RestRequest => {
    const { raw, body, head } = request
    const page = list && readPage(definition, list, head, prefix)
    const seconds = list?.by === 'feed' && head.query.has('after') ? preferredWait(raw.headers) : 0
    const sent = fields && bodyVariables(body, fields)
    const chosen = query && queryVariables(head.query, query)
    return {
      variables: { ...sent?.variables, ...chosen, ...page?.variables, ...head.variables },
      nameOf: (field) => sent?.aliases.get(variableOf(field)) ?? variableOf(field),
      page,
      seconds,
    }
  }
}
