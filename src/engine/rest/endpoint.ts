import { NIL as nothing } from 'uuid'
import { z } from 'zod'
import { requireScopes } from '../auth/scope-checks.ts'
import type { PreparedOperation } from '../execution/prepared-operation.ts'
import type { ApiServices } from '../http/api-services.ts'
import { refuseTags } from '../http/entity-tags.ts'
import { repeatableIn } from '../http/idempotency-key.ts'
import { onlyOnPrimary, positionIn } from '../http/position.ts'
import { conditionalRead, type Endpoint, type RestInterface } from './interface.ts'
import { readWhenChanged } from './long-poll.ts'
import type { Operation } from './operation.ts'
import { preconditionsIn } from './preconditions.ts'
import { prepareDocuments } from './prepared-documents.ts'
import { requestReader } from './request.ts'
import { respond } from './response.ts'
import { type Run, runner } from './run.ts'
import type { Variables } from './variables.ts'
import { conditionOfWrite, explained } from './write-condition.ts'

/** Prepares the endpoint of an operation. */
export function prepareEndpoint(rest: RestInterface, definition: Operation, services: ApiServices): Endpoint {
  const { id, list } = definition
  const { operation, find, requiredScopes } = prepareDocuments(rest, definition, services.documents)
  const readRequest = requestReader(definition, operation, services.prefix)
  const isWrite = definition.method !== 'GET'
  const own = conditionalRead(rest, definition)
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
    const named = find && given.uuid === undefined ? await uuidOf(run, find, given) : undefined
    const condition = resource && (await conditionOfWrite(resource, preconditions, head, run))
    const variables = { ...given, ...named, ...condition?.variables }
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

const foundObject = z.object({ found: z.object({ uuid: z.string() }).nullable() })

/** The uuid of what a path names. If there is none, it is that of nothing, so that what else is wrong with a write is found first. */
async function uuidOf(run: Run, find: PreparedOperation, variables: Variables): Promise<Variables> {
  const { data, refusal } = await run(find, variables)
  if (refusal) throw refusal
  return foundObject.parse(data).found ?? { uuid: nothing }
}
