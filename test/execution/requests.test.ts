import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Person, TestApp } from '../support/app.ts'
import { startApp } from '../support/app.ts'

let app: TestApp
let ada: Person
beforeAll(async () => {
  app = await startApp()
  ada = await app.person('ada')
})
afterAll(() => app.close())

const mutation = 'mutation { sendPost(input: { content: "Never sent" }) { publication { uuid } } }'

/** Sends a request that must be refused before anything is written, while another one succeeds. */
async function sendRefused(path: string, init: RequestInit): Promise<Response> {
  const headers = { authorization: `Bearer ${ada.token}`, ...init.headers }
  const [response, other] = await Promise.all([
    fetch(`${app.origin}${path}`, { ...init, headers }),
    app.graphql(ada.token, '{ viewer { username } }'),
  ])
  expect(other).toMatchObject({ status: 200, data: { viewer: { username: 'ada' } } })
  expect(await app.database.write.prisma.publication.count()).toBe(0)
  return response
}

const form = new FormData()
form.set('operations', JSON.stringify({ query: mutation }))
form.set('map', '{}')

describe('only JSON bodies are accepted', () => {
  test.each<[string, NonNullable<RequestInit['body']>, string | undefined]>([
    ['a form', new URLSearchParams({ query: mutation }), undefined],
    ['a multipart form', form, undefined],
    ['plain text', JSON.stringify({ query: mutation }), 'text/plain'],
    ['a bare document', mutation, 'application/graphql'],
    ['a media type that only looks like it', JSON.stringify({ query: mutation }), 'application/jsonp'],
    ['no media type', new TextEncoder().encode(JSON.stringify({ query: mutation })), undefined],
  ])('%s is refused', async (_name, body, type) => {
    const headers: Record<string, string> = type === undefined ? {} : { 'content-type': type }
    const response = await sendRefused('/graphql', { method: 'POST', headers, body })
    expect(response.status).toBe(415)
    expect(await response.json()).toEqual({
      errors: [{ message: expect.any(String), extensions: { code: 'UNSUPPORTED_MEDIA_TYPE' } }],
    })
  })
})

describe('GET runs queries only', () => {
  test.each(['application/json', 'application/graphql-response+json'])(
    'a mutation is refused, as %s',
    async (accept) => {
      const response = await sendRefused(`/graphql?${new URLSearchParams({ query: mutation })}`, {
        headers: { accept },
      })
      expect(response.status).toBe(405)
      expect(response.headers.get('allow')).toBe('POST')
      expect(await response.json()).toMatchObject({ errors: [{ extensions: { code: 'METHOD_NOT_ALLOWED' } }] })
    },
  )

  test('a mutation selected by operation name is refused', async () => {
    const query = `query A { viewer { uuid } } ${mutation.replace('mutation', 'mutation B')}`
    const response = await sendRefused(`/graphql?${new URLSearchParams({ query, operationName: 'B' })}`, {})
    expect(response.status).toBe(405)
    const other = await fetch(`${app.origin}/graphql?${new URLSearchParams({ query, operationName: 'A' })}`, {
      headers: { authorization: `Bearer ${ada.token}` },
    })
    expect(await other.json()).toEqual({ data: { viewer: { uuid: ada.id } } })
  })
})

describe('operations are selected by name', () => {
  const query = 'query A { viewer { uuid } } query B { viewer { username } }'

  test('for each request independently', async () => {
    for (const operationName of ['A', 'B', 'B', 'A']) {
      const { data } = await app.graphql(ada.token, query, {}, { operationName })
      expect(data).toEqual({ viewer: operationName === 'A' ? { uuid: ada.id } : { username: 'ada' } })
    }
  })

  test.each([undefined, 'C', ''])('%s is refused', async (operationName) => {
    const { data, errors } = await app.graphql(
      ada.token,
      query,
      {},
      operationName === undefined ? {} : { operationName },
    )
    expect(data).toBeUndefined()
    expect(errors).toMatchObject([{ extensions: { code: 'BAD_REQUEST' } }])
  })
})
