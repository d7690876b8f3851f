import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Person, startApp, type TestApp } from '../../support/app.ts'
import { columnOf, hide, nameOf } from '../../support/database/hide.ts'
import { publish } from '../../support/graphql/publish.ts'
import { globalIdOf } from '../../support/reference/schema.ts'

let app: TestApp
let ada: Person
beforeAll(async () => {
  app = await startApp()
})
// Her token is not cached yet.
beforeEach(async () => {
  ada = await app.person()
})
afterAll(() => app.close())

function post(source: string): Promise<Response> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${ada.token}` }
  return fetch(`${app.origin}/graphql`, { method: 'POST', headers, body: JSON.stringify({ query: source }) })
}

/** The request id and the text of a masked error, whose cause is logged once under this id. */
async function masked(response: Response, logged: RegExp): Promise<{ id: string; body: unknown }> {
  const id = response.headers.get('x-request-id') ?? ''
  expect(id).toMatch(/^[0-9a-f-]{36}$/)
  const text = await response.text()
  expect(text).not.toMatch(
    /select |does not exist|relation|postgres|prisma|invocation|\.ts|stack|password_hash|set_like/i,
  )
  const lines = app.lines.filter(({ level, requestId }) => level >= 50 && requestId === id)
  expect(lines).toHaveLength(1)
  expect(JSON.stringify(lines)).toMatch(logged)
  return { id, body: JSON.parse(text) }
}

const message = (id: string) => expect.stringContaining(id)

describe('an unexpected error of GraphQL', () => {
  const unexpected = (id: string, path: string) => ({
    message: message(id),
    locations: [expect.any(Object)],
    path: [path],
    extensions: { code: 'INTERNAL', requestId: id },
  })

  test('in a read appears at each field of its statement', async () => {
    await hide(app.database, columnOf('table users', 'bio'))
    const response = await post('{ you: viewer { username } me: viewer { text: bio } }')
    expect(response.status).toBe(200)
    const { id, body } = await masked(response, /bio/)
    expect(body).toEqual({ data: { you: null, me: null }, errors: [unexpected(id, 'you'), unexpected(id, 'me')] })
  })

  test('in a read of several nodes appears once', async () => {
    await hide(app.database, columnOf('table users', 'bio'))
    const ids = JSON.stringify(Array.from({ length: 100 }, () => globalIdOf('User', ada.id)))
    const { id, body } = await masked(await post(`{ nodes(ids: ${ids}) { ... on User { bio } } }`), /bio/)
    expect(body).toEqual({ data: null, errors: [unexpected(id, 'nodes')] })
  })

  test('in a read does not affect fields without a statement', async () => {
    await hide(app.database, columnOf('table users', 'bio'))
    const { id, body } = await masked(await post('{ __typename viewer { bio } as: __typename }'), /bio/)
    expect(body).toEqual({
      data: { __typename: 'Query', viewer: null, as: 'Query' },
      errors: [unexpected(id, 'viewer')],
    })
  })

  test('in a non-null read leaves no data', async () => {
    await hide(app.database, columnOf('view live_publications', 'locked'))
    const { id, body } = await masked(await post('{ publicTimeline { nodes { locked } } }'), /publications|locked/)
    expect(body).toEqual({ data: null, errors: [unexpected(id, 'publicTimeline')] })
  })

  test('in a write is masked', async () => {
    const uuid = await publish(app, ada)
    await hide(app.database, nameOf('function', 'set_like'))
    const { id, body } = await masked(
      await post(`mutation { toggleLike(input: { uuid: "${uuid}" }) { action } }`),
      /set_like/,
    )
    expect(body).toMatchObject({
      data: null,
      errors: [{ path: ['toggleLike'], extensions: { code: 'INTERNAL', requestId: id } }],
    })
  })

  test('in a token lookup is masked', async () => {
    await hide(app.database, columnOf('table access_tokens', 'hash'))
    const response = await post('{ viewer { uuid } }')
    expect(response.status).toBe(500)
    const { id, body } = await masked(response, /hash/)
    expect(body).toMatchObject({ errors: [{ message: message(id), extensions: { code: 'INTERNAL' } }] })
  })

  test('does not log passwords', async () => {
    await hide(app.database, columnOf('table users', 'password_hash'))
    const before = app.lines.length
    const source = (name: string) =>
      `mutation { ${name}(input: { username: "eve" ` +
      `${name === 'signUp' ? ', email: "eve@example.org"' : ''}, password: "a long secret" }) { token } }`
    for (const name of ['signUp', 'signIn']) {
      const { headers, errors } = await app.graphql(undefined, source(name))
      expect(errors).toMatchObject([{ extensions: { code: 'INTERNAL', requestId: headers.get('x-request-id') } }])
    }
    expect(app.lines.slice(before).filter(({ level }) => level >= 50)).toHaveLength(2)
    expect(JSON.stringify(app.lines)).not.toContain('a long secret')
    expect(JSON.stringify(app.lines)).not.toContain(ada.token)
  })
})

describe('an unexpected error of REST', () => {
  const problem = (id: string) => ({
    type: expect.any(String),
    title: 'Internal error',
    status: 500,
    detail: message(id),
    instance: `urn:uuid:${id}`,
    code: 'INTERNAL',
  })

  test.each([
    ['of a read', columnOf('table users', 'bio'), 'GET', () => '/user', /bio/],
    ['of a write', nameOf('function', 'set_like'), 'POST', (uuid: string) => `/post/${uuid}/like`, /set_like/],
    ['of the tokens', columnOf('table access_tokens', 'hash'), 'GET', () => '/user', /hash/],
  ])('%s', async (_name, renaming, method, path, logged) => {
    const uuid = await publish(app, ada)
    await hide(app.database, renaming)
    // Another token than the cached one.
    const token = String(logged).includes('hash') ? `rookery_${'A'.repeat(43)}` : ada.token
    const response = await app.rest(token, method, path(uuid))
    expect(response.status).toBe(500)
    expect(response.headers.get('content-type')).toBe('application/problem+json')
    const { id, body } = await masked(response, logged)
    expect(body).toEqual(problem(id))
  })
})
