import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { Refusal } from '../../../engine/errors.ts'
import { answerOtherMethods } from '../../../engine/http/allowed-methods.ts'
import { problem, problemDocument, refusalIn } from '../../../engine/http/problem.ts'
import { type HttpResponse, sendResponse } from '../../../engine/http/response.ts'
import type { Log } from '../../../engine/log.ts'
import { nameBounds } from '../../base/bounds.ts'
import { textError } from '../../base/input-rules.ts'
import { isScope, scopes } from '../../base/scopes.ts'
import { isObject, usedMetadata } from './safe-fetch.ts'

/** The endpoints that applications call themselves, without a browser. */
const endpoints = ['token', 'revoke', 'introspect', 'device_authorization', 'register'] as const

const registration = '/oauth/register'

/** Whether a request is the registration of an application. */
export const isRegistration = ({ routeOptions }: FastifyRequest): boolean => routeOptions.url === registration

/** The code of a refusal for clients of OAuth (RFC 6749, sections 4.1.2.1 and 5.2; RFC 7591, section 3.2.2). */
function errorOf({ code }: Refusal, request: FastifyRequest): string {
  if (code === 'RATE_LIMITED' || code === 'UNAVAILABLE') return 'temporarily_unavailable'
  if (code === 'INTERNAL' || code === 'OUTCOME_UNKNOWN') return 'server_error'
  return code === 'BAD_REQUEST' && isRegistration(request) ? 'invalid_client_metadata' : 'invalid_request'
}

/** The problem document of a refusal, which is also an error of OAuth. */
function oauthProblem(refusal: Refusal, request: FastifyRequest): HttpResponse {
  const { status, headers } = problem(refusal)
  const error = { error: errorOf(refusal, request), error_description: refusal.message }
  const body = JSON.stringify({ ...error, ...problemDocument(refusal) })
  return { status, headers: { ...headers, 'content-type': 'application/json' }, body }
}

const refuse = (message: string) => new Refusal('BAD_REQUEST', message)

const checkedMembers = z.object({
  client_name: z.string().optional().catch(undefined),
  scope: z.string().optional().catch(undefined),
})

/** Throws `BAD_REQUEST` for a name that no page could show, and for scopes of which this server has none. */
function requireUsable(metadata: object): void {
  const { client_name: name, scope } = checkedMembers.parse(metadata)
  const wrong = textError('client_name', name?.trim(), nameBounds)
  if (wrong) throw refuse(`${wrong.field} ${wrong.message}.`)
  const asked = scope?.split(' ').filter(Boolean) ?? []
  if (asked.length > 0 && !asked.some(isScope)) throw refuse(`scope names none of ${scopes.join(' ')}.`)
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The body of a registration, with what counts of it. What is no JSON is left to the library, which refuses it. */
function registrationIn(body: unknown): unknown {
  const metadata = jsonIn(String(body))
  if (!isObject(metadata)) return body
  requireUsable(metadata)
  return Buffer.from(JSON.stringify(usedMetadata(metadata)))
}

/** Adds the endpoints that applications call. All their errors are those of OAuth. */
export function addEndpoints(
  scope: FastifyInstance,
  log: Log,
  pass: (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>,
): void {
  scope.setErrorHandler(async (error, request, reply) => {
    const refusal = refusalIn(error, request, log)
    request.logEntry.report({ code: refusal.code })
    return sendResponse(reply, oauthProblem(refusal, request))
  })
  for (const name of endpoints) {
    const url = `/oauth/${name}`
    scope.post(url, (request, reply) => {
      if (isRegistration(request)) request.body = registrationIn(request.body)
      return pass(request, reply)
    })
    answerOtherMethods(scope, { url, methods: ['POST'], takingBodies: [] })
  }
}
