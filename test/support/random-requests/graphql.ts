import fc from 'fast-check'
import type { Pools } from '../random-selection.ts'
import { type RandomOperation, randomOperations } from './documents.ts'
import { brokenAuthorization, callers, contentTypes, type Known, mostly, randomBodies, randomHeaders } from './parts.ts'
import type { RandomHttpRequest } from './request.ts'

const fragments = ['', '{', '}', '(', '"', '@', '$', '...', '\u0000', '\ud800', '#', 'a:', '!', ' on ']
const sha256Hash = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'

/** Occasionally replaces the right value with another. */
const orAnything = (right: fc.Arbitrary<unknown>) =>
  fc.oneof({ weight: 9, arbitrary: right }, { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) })

/** The parameters of a request, each mostly of its type. */
const parametersOf = (operation: RandomOperation) =>
  fc
    .record({
      query: orAnything(mostly(fc.constant(operation.query), fragments)),
      variables: orAnything(fc.constant(operation.variables)),
      operationName: orAnything(fc.constantFrom(undefined, undefined, undefined, null, '', 'Other')),
      extensions: orAnything(
        fc.constantFrom(
          undefined,
          undefined,
          {},
          { persistedQuery: { version: 1, sha256Hash } },
          { persistedQuery: 1 },
        ),
      ),
      more: fc.oneof(
        { weight: 12, arbitrary: fc.constant({}) },
        { weight: 1, arbitrary: fc.constantFrom({ documentId: sha256Hash }, { documentId: 1 }, { id: 'x' }) },
      ),
    })
    .map(({ more, ...parameters }) => ({ ...parameters, ...more }))

function searchOf(parameters: object): string {
  const texts = Object.entries(parameters).flatMap(([name, value]): [string, string][] => {
    if (value === undefined) return []
    // A lone surrogate has no bytes.
    return [[name, (typeof value === 'string' ? value : JSON.stringify(value)).toWellFormed()]]
  })
  return String(new URLSearchParams(texts))
}

/** Requests to `/graphql`, in a body or a URL, with some part broken. */
export function randomGraphQLRequests(pools: Pools, known: Known): fc.Arbitrary<RandomHttpRequest> {
  const parameters = randomOperations(pools).chain(parametersOf)
  const inBody = fc.record({
    method: fc.oneof({ weight: 15, arbitrary: fc.constant('POST') }, fc.constantFrom('PUT', 'DELETE', 'OPTIONS')),
    path: fc.constantFrom('/graphql', '/graphql', '/graphql/', '/graphql?query={__typename}'),
    body: randomBodies(
      fc.oneof(
        { weight: 12, arbitrary: parameters.map((it) => JSON.stringify(it)) },
        { weight: 1, arbitrary: parameters.map((it) => JSON.stringify([it, it])) },
      ),
    ),
  })
  const inUrl = fc.record({
    method: fc.constantFrom('GET', 'GET', 'HEAD'),
    path: mostly(
      // Longer ones exceed what is allowed for headers.
      parameters.map((it) => `/graphql?${searchOf(it).slice(0, 12_000)}`),
      ['', '%', '%ff', '&query=', '%00', '='],
    ),
    body: fc.constant(undefined),
  })
  const again = fc.record({
    caller: fc.constantFrom('viewer' as const, 'narrow' as const),
    method: fc.constant('POST'),
    path: fc.constant('/graphql'),
    headers: fc
      .constantFrom(...known.keys)
      .map((key) => ({ 'content-type': 'application/json', 'idempotency-key': key })),
    body: fc.constant(known.retried),
  })
  const others = fc
    .record({
      request: fc.oneof({ weight: 5, arbitrary: inBody }, { weight: 1, arbitrary: inUrl }),
      caller: callers,
      headers: randomHeaders(known),
      broken: brokenAuthorization,
      type: contentTypes,
    })
    .map(({ request, caller, headers, broken, type }) => ({
      ...request,
      caller,
      headers: {
        ...headers,
        ...(request.body === undefined ? {} : type),
        ...(caller === 'nobody' ? broken : {}),
      },
    }))
  return fc.oneof({ weight: 50, arbitrary: others }, { weight: 1, arbitrary: again })
}
