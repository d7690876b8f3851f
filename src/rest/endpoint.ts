import { insufficientScope } from '../domain/access.ts'
import type { Session } from '../domain/sessions.ts'
import { type Executor, resultOf } from '../execution/executor.ts'
import type { Program } from '../execution/program.ts'
import type { Context } from '../schema/context.ts'
import { satisfies } from '../scopes.ts'
import { bodyVariables, readBody } from './body.ts'
import type { RestRequest, RestResponse } from './http.ts'
import { readPage } from './pages.ts'
import { refusalOf } from './problem.ts'
import { preparePrograms } from './programs.ts'
import { hasPageInPath, type Route, type Variables } from './route.ts'

/** A request whose token is good and whose path and method are known. */
export type Call = {
  readonly request: RestRequest
  readonly query: URLSearchParams
  readonly session: Session
  /** The decoded path. */
  readonly segments: readonly string[]
  /** What the path sets. */
  readonly variables: Variables
}

/** Answers a call. Rejects with a refusal, in the documented order: 415, 413 or 400, 403, 422, then what the run gives. */
export type Endpoint = (call: Call) => Promise<RestResponse>

/** Prepares a row of the route table. Throws when one of its documents does not fit the schema. */
export function prepareEndpoint(route: Route, executor: Executor): Endpoint {
  const { body: fields, pages, lookup } = route
  const { operation, lookupOperation, requiredScopes } = preparePrograms(route, executor)
  const inPath = hasPageInPath(route)

  return async ({ request, query, session, segments, variables }) => {
    const body = fields && (await readBody(request))
    if (!satisfies(session.scopes, requiredScopes)) throw insufficientScope(requiredScopes)
    const page = pages && readPage(segments, query, { inPath, size: pages.size })
    const given = { ...(fields && bodyVariables(body, fields)), ...page?.variables, ...variables }

    const context = request.contextOf(session)
    const found =
      lookup && lookupOperation && lookup.when?.(given) !== false
        ? lookup.variables(await run(executor, lookupOperation, given, context))
        : {}
    const all = { ...given, ...found }
    const data = await run(executor, operation, all, context)

    const content = JSON.stringify(route.answer(data, session, all))
    const headers: Record<string, string> = {
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(content)),
    }
    if (page) headers.link = page.link(pages.list(data)?.pageInfo.hasNextPage === true)
    return { status: 200, headers, body: content }
  }
}

async function run(executor: Executor, operation: Program, variables: Variables, context: Context): Promise<unknown> {
  const { data, errors = [] } = resultOf(await executor.run(operation, variables, context))
  const [first, ...others] = errors
  if (first) throw refusalOf(first, others)
  return data
}
