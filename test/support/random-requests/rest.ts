import fc from 'fast-check'
import { places, randomRequests } from '../random-inputs.ts'
import { brokenAuthorization, callers, contentTypes, type Known, mostly, randomBodies, randomHeaders } from './parts.ts'
import type { RandomHttpRequest } from './request.ts'

const fragments = [
  '',
  '/',
  '//',
  '%',
  '%ff',
  '%00',
  '%2f',
  '/..',
  '%2e%2e/',
  '@',
  ';',
  '?',
  '&uuid=',
  '\u00e9',
  '%c3%28',
  '#',
  '+',
]
const methods = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND']

/** Requests to the REST interface: mostly those that the document allows, with some part broken. */
export function randomRestRequests(known: Known): fc.Arbitrary<RandomHttpRequest> {
  const all = places.map((place) => {
    const text = fc.constantFrom(place.method)
    const requests = randomRequests(place)
    return fc
      .record({
        caller: callers,
        method: fc.oneof({ weight: 9, arbitrary: text }, { weight: 1, arbitrary: fc.constantFrom(...methods) }),
        path: mostly(
          requests.map(({ path }) => `/api/v1${path}`),
          fragments,
        ),
        headers: randomHeaders(known),
        broken: brokenAuthorization,
        type: contentTypes,
        body: place.operation.requestBody
          ? randomBodies(requests.map(({ body }) => String(body)))
          : fc.oneof(
              { weight: 6, arbitrary: fc.constant(undefined) },
              { weight: 1, arbitrary: randomBodies(fc.json()) },
            ),
      })
      .map(({ broken, type, headers, ...rest }) => ({
        ...rest,
        headers: {
          ...headers,
          ...(rest.body === undefined ? {} : type),
          ...(rest.caller === 'nobody' ? broken : {}),
        },
      }))
  })
  return fc.oneof(...all)
}
