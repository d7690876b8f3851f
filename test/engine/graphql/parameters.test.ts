import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type Person, startApp, type TestApp } from '../../support/app.ts'
import { sendRaw } from '../../support/http/raw-request.ts'

let app: TestApp
let ada: Person
beforeAll(async () => {
  app = await startApp()
  ada = await app.person('ada')
})
afterAll(() => app.close())

const query = '{ __typename }'
const answered = { data: { __typename: 'Query' } }
const refused = { errors: [{ message: expect.stringMatching(/^\S.*\.$/), extensions: { code: 'BAD_REQUEST' } }] }

async function get(search: string, accept = 'application/json') {
  const { status, headers, body } = await sendRaw(app.origin, {
    method: 'GET',
    path: `/graphql?${search}`,
    headers: { accept },
  })
  return { status, type: headers['content-type'], body: JSON.parse(body) }
}

async function post(body: string | Uint8Array) {
  const headers = { 'content-type': 'application/json' }
  const answer = await sendRaw(app.origin, { method: 'POST', path: '/graphql', headers, pieces: [body] })
  return { status: answer.status, body: JSON.parse(answer.body) }
}

const search = (parameters: Record<string, string>) => String(new URLSearchParams(parameters))

test('JSON has at most 1,000 values, since parsing and checking tens of thousands would block the event loop', async () => {
  // The object, its query and its variables are values too. In strings, nothing counts.
  const listed = (count: number) => ({ query, variables: { list: Array(count).fill('[",{\\') } })
  expect(await post(JSON.stringify(listed(996)))).toEqual({ status: 200, body: answered })
  const message = 'The JSON has more than 1000 values.'
  const tooMany = { status: 400, body: { errors: [{ message }] } }
  expect(await post(JSON.stringify(listed(997)))).toMatchObject(tooMany)
  expect(await get(search({ query, variables: `[${'[],'.repeat(999)}0]` }))).toMatchObject(tooMany)
  const unknown = Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [at, 0]))
  expect(await post(JSON.stringify({ query, ...unknown }))).toMatchObject(tooMany)
  const headers = { 'content-type': 'application/json' }
  const pieces = [JSON.stringify({ content: 'Hello', ...unknown })]
  const { status, body } = await sendRaw(app.origin, {
    method: 'POST',
    path: '/api/v1/post',
    token: ada.token,
    headers,
    pieces,
  })
  expect({ status, body: JSON.parse(body) }).toMatchObject({
    status: 400,
    body: { code: 'BAD_REQUEST', detail: message },
  })
})

describe('GET /graphql', () => {
  test.each([
    ['variables that are not JSON', search({ query, variables: 'x' })],
    ['variables that are an array', search({ query, variables: '[1]' })],
    ['variables that are a string', search({ query, variables: '"a"' })],
    ['variables that are a number', search({ query, variables: '1e999' })],
    ['extensions that are not JSON', search({ query, extensions: '{' })],
    ['extensions that are an array', search({ query, extensions: '[]' })],
    ['no query', search({ variables: '{}' })],
    ['an incomplete percent-encoding', `${search({ query })}&x=%Z`],
    ['a percent-encoding that is not UTF-8', `${search({ query })}&x=%ff`],
  ])('refuses %s', async (_what, parameters) => {
    expect(await get(parameters)).toEqual({
      status: 400,
      type: expect.stringMatching(/^application\/json/),
      body: refused,
    })
  })

  test('refuses in the media type that the client accepts', async () => {
    const type = 'application/graphql-response+json'
    expect(await get(search({ query, variables: 'x' }), type)).toMatchObject({
      status: 400,
      type: `${type}; charset=utf-8`,
      body: refused,
    })
  })

  test.each([
    ['empty variables and extensions', search({ query, variables: '', extensions: '' })],
    ['variables that are null', search({ query, variables: 'null' })],
    ['an empty operation name', search({ query, operationName: '' })],
    ['other parameters', search({ query, other: 'x' })],
  ])('accepts %s', async (_what, parameters) => {
    expect(await get(parameters)).toMatchObject({ status: 200, body: answered })
  })
})

describe('POST /graphql', () => {
  test.each([
    ['nothing', ''],
    ['half of a document', '{"query":'],
    ['an array', JSON.stringify([{ query }])],
    ['a number', '1e999'],
    ['a string', '"query"'],
    ['null', 'null'],
    ['no query', '{}'],
    ['a query that is null', '{"query":null}'],
    ['a query that is a number', '{"query":1}'],
    ['a query that is an object', '{"query":{"a":1}}'],
    ['variables that are a number', JSON.stringify({ query, variables: 1 })],
    ['variables that are an array', JSON.stringify({ query, variables: [] })],
    ['extensions that are a string', JSON.stringify({ query, extensions: 'x' })],
    ['an operation name that is a number', JSON.stringify({ query, operationName: 1 })],
    ['an operation name that is an array', JSON.stringify({ query, operationName: ['a'] })],
  ])('refuses a body of %s', async (_what, body) => {
    expect(await post(body)).toEqual({ status: 400, body: refused })
  })

  test.each([
    ['null for what is optional', { query, variables: null, extensions: null, operationName: null, other: null }],
    ['extensions', { query, extensions: { any: 'thing' } }],
    ['other members, such as the id that some clients give each operation', { query, id: 'q1', other: [{}] }],
    // As some clients send it for an operation without a name.
    ['an empty operation name', { query, operationName: '' }],
  ])('accepts %s', async (_what, body) => {
    expect(await post(`\ufeff${JSON.stringify(body)}`)).toEqual({ status: 200, body: answered })
    expect(await post(JSON.stringify(body))).toEqual({ status: 200, body: answered })
  })
})

const mutation = 'mutation { sendPost(input: { content: "Never sent" }) { publication { uuid } } }'
const form = new FormData()
form.set('operations', JSON.stringify({ query: mutation }))
form.set('map', '{}')

describe('no other website can make a browser write', () => {
  const send = (init: RequestInit, at = '') =>
    fetch(`${app.origin}/graphql${at}`, { ...init, headers: { authorization: `Bearer ${ada.token}`, ...init.headers } })

  afterEach(async () => {
    expect(await app.database.write.prisma.publication.count()).toBe(0)
  })

  test.each<[string, NonNullable<RequestInit['body']>, string?]>([
    ['a form', new URLSearchParams({ query: mutation })],
    ['a multipart form', form],
    ['a bare document', mutation, 'application/graphql'],
    ['a media type that only looks like JSON', JSON.stringify({ query: mutation }), 'application/jsonp'],
    ['no media type', new TextEncoder().encode(JSON.stringify({ query: mutation }))],
  ])('by %s', async (_name, body, type) => {
    const response = await send({ method: 'POST', body, headers: type === undefined ? {} : { 'content-type': type } })
    expect(response.status).toBe(415)
  })

  test('by an address with a mutation, also beside a query', async () => {
    const both = `query A { viewer { uuid } } ${mutation.replace('mutation', 'mutation B')}`
    for (const parameters of [{ query: mutation }, { query: both, operationName: 'B' }]) {
      const response = await send({}, `?${search(parameters)}`)
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST'])
    }
    const other = await send({}, `?${search({ query: both, operationName: 'A' })}`)
    expect(await other.json()).toEqual({ data: { viewer: { uuid: ada.id } } })
  })
})

test.each([undefined, 'C', ''])('of two operations, the name %s selects none', async (operationName) => {
  const both = 'query A { __typename } query B { __typename }'
  expect((await post(JSON.stringify({ query: both, operationName }))).body).toEqual(refused)
})

test.each(['x=%', 'limit=%ZZ', 'limit=5%ff'])('REST refuses the query string ?%s', async (malformed) => {
  const path = `/api/v1/user/${ada.id}/posts/1?${malformed}`
  const { status, body } = await sendRaw(app.origin, { method: 'GET', path, token: ada.token })
  expect({ status, body: JSON.parse(body) }).toMatchObject({ status: 400, body: { code: 'BAD_REQUEST' } })
})
