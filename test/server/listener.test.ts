import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Person, startApp, type TestApp } from '../support/app.ts'
import { sendRaw } from '../support/http/raw-request.ts'
import { anyChanging, anyRequestId } from '../support/rest/answer.ts'

let app: TestApp
let ada: Person
let stopping = false
beforeAll(async () => {
  app = await startApp({ isStopping: () => stopping })
  ada = await app.person('ada')
})
afterAll(() => app.close())

const json = (response: Response): Promise<unknown> => response.json()

describe('an unknown path', () => {
  test.each(['/favicon.ico', '/api', '/api/v2/user', '/health', '/graphqlx', '//graphql'])(
    '%s returns problem details',
    async (path) => {
      for (const method of ['GET', 'POST']) {
        const response = await fetch(`${app.origin}${path}`, { method })
        expect(response.status).toBe(404)
        expect(response.headers.get('content-type')).toBe('application/problem+json')
        expect(await json(response)).toMatchObject({ status: 404, code: 'NOT_FOUND', title: 'Not found' })
      }
    },
  )
})

test('a trailing slash is accepted', async () => {
  for (const path of ['/graphql/?query={__typename}', '/health/live/', '/schema.graphql/', '/api/v1/docs/']) {
    expect(await fetch(`${app.origin}${path}`)).toMatchObject({ status: 200 })
  }
})

describe('every response', () => {
  test('has its own request id', async () => {
    const paths = ['/', '/graphql', '/api/v1/user', '/health/live', '/graphql?query={__typename}']
    const ids = await Promise.all(
      paths.map(async (path) => (await fetch(`${app.origin}${path}`)).headers.get('x-request-id')),
    )
    for (const id of ids) expect(id).toEqual(anyRequestId)
    expect(new Set(ids).size).toBe(paths.length)
  })

  test('is readable by scripts of any origin, without credentials', async () => {
    const { headers } = await app.graphql(
      ada.token,
      '{ viewer { username } }',
      {},
      { headers: { origin: 'https://a.example' } },
    )
    expect(headers.get('access-control-allow-origin')).toBe('*')
    expect(headers.get('access-control-allow-credentials')).toBeNull()
    const exposed = headers.get('access-control-expose-headers')?.split(', ')
    const wanted = ['Link', 'API-Version', 'WWW-Authenticate', 'Allow', 'Retry-After', 'Rookery-Position']
    expect(exposed).toEqual(expect.arrayContaining(wanted))
  })
})

test.each(['/api/v1/post/nothing', '/api/v1/nothing', '/nothing', '/api/v1/post/%'])(
  'a preflight request is answered at %s, so that scripts can read the 404',
  async (path) => {
    const headers = { origin: 'https://a.example', 'access-control-request-method': 'GET' }
    const response = await fetch(`${app.origin}${path}`, { method: 'OPTIONS', headers })
    expect(response.status).toBe(204)
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    expect(response.headers.get('access-control-allow-headers')).toMatch(/^Authorization, /)
  },
)

describe('/graphql', () => {
  test('permits scripts of any origin', async () => {
    const response = await fetch(`${app.origin}/graphql`, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://a.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,content-type,apollographql-client-name,idempotency-key',
      },
    })
    expect(response.status).toBe(204)
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    const listed = (name: string) => response.headers.get(name)?.toLowerCase().split(', ')
    expect(listed('access-control-allow-methods')).toEqual(expect.arrayContaining(['get', 'post']))
    expect(listed('access-control-allow-headers')).toEqual(
      expect.arrayContaining(['authorization', 'content-type', '*']),
    )
  })

  test.each(['PUT', 'PATCH', 'DELETE'])('refuses %s', async (method) => {
    const response = await fetch(`${app.origin}/graphql`, { method })
    expect(response.status).toBe(405)
    expect(response.headers.get('allow')).toBe('GET, HEAD, POST, OPTIONS')
    expect(await json(response)).toMatchObject({ errors: [{ extensions: { code: 'METHOD_NOT_ALLOWED' } }] })
  })

  test('answers HEAD like GET, for the page and for operations', async () => {
    for (const accept of ['text/html', 'application/json']) {
      const request = { path: '/graphql?query={__typename}', headers: { accept } }
      const get = await sendRaw(app.origin, { ...request, method: 'GET' })
      const head = await sendRaw(app.origin, { ...request, method: 'HEAD' })
      expect(get.headers['content-type']).toMatch(accept)
      expect(head).toEqual({ status: 200, headers: anyChanging(get.headers), body: '' })
    }
  })
})

describe('health', () => {
  const ask = async (path: string, method = 'GET') => (await fetch(`${app.origin}/health/${path}`, { method })).status

  test('reports that the server is alive and ready', async () => {
    expect([await ask('live'), await ask('ready'), await ask('live', 'HEAD'), await ask('ready', 'HEAD')]).toEqual([
      200, 200, 200, 200,
    ])
  })

  test('accepts reading methods only', async () => {
    const response = await fetch(`${app.origin}/health/live`, { method: 'POST' })
    expect(response.status).toBe(405)
    expect(response.headers.get('allow')?.split(', ')).toEqual(expect.arrayContaining(['GET', 'HEAD']))
  })

  test('reports that a stopping server is not ready', async () => {
    stopping = true
    const response = await fetch(`${app.origin}/health/ready`)
    stopping = false
    expect(response.status).toBe(503)
    expect(await ask('ready')).toBe(200)
  })

  test('reports that the server is not ready without its database', async () => {
    const lonely = await startApp()
    await lonely.database.close()
    const statuses = await Promise.all(
      ['ready', 'live'].map(async (path) => (await fetch(`${lonely.origin}/health/${path}`)).status),
    )
    await lonely.close()
    expect(statuses).toEqual([503, 200])
  })
})
