import type { FastifyReply, FastifyRequest } from 'fastify'
import { NIL as nobody } from 'uuid'
import { z } from 'zod'
import { requireScopes } from '../domain/scope-checks.ts'
import type { PreparedOperation } from '../execution/prepared-operation.ts'
import type { ApiServices } from '../http/api-services.ts'
import { refuseTags } from '../http/entity-tags.ts'
import { repeatableIn } from '../http/idempotency-key.ts'
import { onlyOnPrimary, positionIn } from '../http/position.ts'
import { readWhenChanged } from './long-poll.ts'
import type { Operation } from './operation.ts'
import { conditionalRead } from './operations.ts'
import { preconditionsIn } from './preconditions.ts'
import { prepareDocuments } from './prepared-documents.ts'
import { requestReader } from './request.ts'
import { respond } from './response.ts'
import { type Run, runner } from './run.ts'
import type { Variables } from './variables.ts'
import { conditionOfWrite, explained } from './write-condition.ts'

/** Answers a request with a valid token. Throws refusals in the documented order: 415, 413 or 400, 403, 422, then those of the operation. */
export type Endpoint = (request: FastifyRequest, reply: FastifyReply) => Promise<Buffer | FastifyReply>

/** Prepares the endpoint of an operation. */
export function prepareEndpoint(definition: Operation, services: ApiServices): Endpoint {
  const { id, list } = definition
  const { operation, findUser, requiredScopes } = prepareDocuments(definition, services.documents)
  const readRequest = requestReader(definition, operation, services.prefix)
  const isWrite = definition.method !== 'GET'
  const own = conditionalRead(definition)
  const resource = own && { ...own, operation: services.documents.prepare(own.document.source) }

  return async (request, reply) => {
    const { logEntry, raw, head } = request
    logEntry.operation = id
    logEntry.isOperationKnown = true
    const preconditions = preconditionsIn(raw.headers)
    const options = isWrite
      ? { after: onlyOnPrimary, repeatable: () => repeatableIn(request) }
      : { after: positionIn(raw.headers) }
    const { viewer } = head
    requireScopes(viewer, requiredScopes)
    const { variables: given, nameOf, page, seconds } = readRequest(request)
    if (isWrite && !resource) refuseTags(raw.headers)

    const run = runner(services, request, options, nameOf)
    const user = findUser && given.uuid === undefined ? await userOf(run, findUser, given) : undefined
    const condition = resource && (await conditionOfWrite(resource, preconditions, head, run))
    const variables = { ...given, ...user, ...condition?.variables }
    const result =
      list && seconds > 0
        ? await readWhenChanged({ request, services, seconds, list }, (after) =>
            run(operation, { ...variables, ...after }),
          )
        : await run(operation, variables)
    reply.headers(result.headers)
    if (result.refusal) throw condition ? await explained(result.refusal, condition, reply) : result.refusal
    if (seconds > 0) reply.header('preference-applied', `wait=${seconds}`)
    return respond(definition, { data: result.data, viewer, variables, preconditions, page }, raw.headers, reply)
  }
}

const foundUser = z.object({ user: z.object({ uuid: z.string() }).nullable() })

/** The uuid of the user whom a path names. If there is none, it is that of nobody, so that what else is wrong with a write is found first. */
async function userOf(run: Run, findUser: PreparedOperation, variables: Variables): Promise<Variables> {
  const { data, refusal } = await run(findUser, variables)
  if (refusal) throw refusal
  return foundUser.parse(data).user ?? { uuid: nobody }
}
