import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Person, sharing, startApp, type TestApp } from '../../support/app.ts'
import { sendForBytes } from '../../support/http/raw-request.ts'

let app: TestApp
let full: TestApp
let ada: Person
beforeAll(async () => {
  app = await startApp()
  full = await startApp({ requestsPerAddress: 0 }, sharing(app))
  ada = await app.person('ada')
})
afterAll(async () => {
  await full.close()
  await app.close()
})

/** An ordinary header, and an unusual one that asks for the same media type. */
const pairs = [
  ['application/json', 'application/json;charset=utf-8'],
  ['application/json', 'text/plain, application/json'],
  ['*/*', 'image/png, */*;q=0.1'],
  ['application/graphql-response+json', 'application/graphql-response+json;charset=utf-8'],
  ['application/graphql-response+json, application/json', 'application/json;q=0.9,Application/GraphQL-Response+JSON'],
  [
    'application/graphql-response+json',
    'application/graphql-response+json, application/graphql+json, application/json, text/event-stream, multipart/mixed',
  ],
  ['application/json', 'application/graphql-response+json;q=0, */*'],
  ['application/json', 'image/png'],
] as const

type Sent = {
  readonly method?: string
  readonly body?: object | string
  readonly contentType?: string
  readonly search?: string
  readonly token?: string | null
  readonly isFull?: boolean
}

const requests: [string, () => Sent][] = [
  ['a query', () => ({ body: { query: '{ viewer { uuid username bio } }' } })],
  [
    'a wrong variable',
    () => ({ body: { query: 'query ($u: UUID!) { post(uuid: $u) { uuid } }', variables: { u: 1 } } }),
  ],
  ['no token', () => ({ body: { query: '{ viewer { uuid } }' }, token: null })],
]

/** They are refused before an operation is known. */
const refusedEarly: [string, number, () => Sent][] = [
  ['a body that is not JSON', 400, () => ({ body: 'nothing' })],
  ['a query string that is not percent-encoded', 400, () => ({ search: 'query=%' })],
  ['a request without a document', 400, () => ({ body: {} })],
  ['another method', 405, () => ({ method: 'PUT', body: { query: '{ __typename }' } })],
  ['a body that is too large', 413, () => ({ body: { query: `{ __typename } #${'x'.repeat(300_000)}` } })],
  ['a body of another type', 415, () => ({ body: { query: '{ __typename }' }, contentType: 'text/plain' })],
  ['a server without a free slot', 503, () => ({ body: { query: '{ __typename }' }, isFull: true })],
]

async function send(accept: string, sent: Sent) {
  const { body, search, token = ada.token, method = body ? 'POST' : 'GET', contentType = 'application/json' } = sent
  const answer = await sendForBytes((sent.isFull ? full : app).origin, {
    method,
    path: search ? `/graphql?${search}` : '/graphql',
    headers: { accept, ...(body && { 'content-type': contentType }) },
    ...(token !== null && { token }),
    ...(body && { pieces: [typeof body === 'string' ? body : JSON.stringify(body)] }),
  })
  const { date: _date, 'x-request-id': _id, ratelimit: _budget, ...headers } = answer.headers
  return { status: answer.status, headers, body: answer.body.toString('latin1') }
}

const typeOf = (accept: string) =>
  `application/${accept.startsWith('application/graphql-response+json') ? 'graphql-response+json' : 'json'}; charset=utf-8`

describe.each(pairs)('%s and %s', (common, unusual) => {
  test.each(requests)('get the same response to %s', async (_what, request) => {
    const sent = request()
    const response = await send(common, sent)
    expect(await send(unusual, sent)).toEqual(response)
    expect(response.headers['content-type']).toBe(typeOf(common))
  })

  test.each(refusedEarly)('get the same response to %s', async (_what, status, request) => {
    const response = await send(common, request())
    expect(await send(unusual, request())).toEqual(response)
    expect(response).toMatchObject({ status, headers: { 'content-type': typeOf(common) } })
    expect(JSON.parse(response.body)).toMatchObject({ errors: [{ extensions: { code: expect.any(String) } }] })
  })
})
