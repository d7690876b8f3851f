import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Person, startApp, type TestApp } from '../../support/app.ts'
import { exchange } from '../../support/http/raw-socket.ts'

const demo = { token: `rookery_${'x'.repeat(43)}`, targets: {} }

let app: TestApp
let ada: Person
beforeAll(async () => {
  app = await startApp({ demo })
  ada = await app.person('ada')
})
afterAll(() => app.close())

const ask = (method: string, target: string, headers: readonly string[] = []) =>
  exchange(app.origin, `${[`${method} ${target} HTTP/1.1`, 'Connection: close', ...headers].join('\r\n')}\r\n\r\n`)

test.each(['http://x', 'HTTP://x:80', 'https://x.example:443', 'http://[::1]:4000'])(
  'an absolute request target is accepted: %s',
  async (origin) => {
    const token = `Authorization: Bearer ${ada.token}`
    const rest = await ask('GET', `${origin}/api/v1/user/?x=1`, ['Host: x', token])
    expect(rest.status).toBe(200)
    expect(JSON.parse(rest.body)).toMatchObject({ username: 'ada' })
    const graphql = await ask('GET', `${origin}/graphql?query={__typename}`, ['Host: x'])
    expect(JSON.parse(graphql.body)).toEqual({ data: { __typename: 'Query' } })
  },
)

test('an absolute target without a path means the root', async () => {
  expect(await ask('GET', 'http://x', ['Host: x'])).toMatchObject({ status: 200 })
  expect(await ask('GET', 'http://x?y=1', ['Host: x'])).toMatchObject({ status: 200 })
})

test('a target with a fragment is refused', async () => {
  expect(await ask('GET', '/api/v1/user#x', ['Host: x'])).toMatchObject({ status: 400 })
})

test('the host of an absolute target overrides the Host header', async () => {
  const page = (target: string, host: string) => ask('GET', target, [`Host: ${host}`, 'Accept: text/html'])
  expect((await page('/graphql', 'localhost')).body).toContain(demo.token)
  expect((await page('http://localhost/graphql', 'evil.example')).body).toContain(demo.token)
  expect((await page('http://evil.example/graphql', 'localhost')).body).not.toContain(demo.token)
})

test('OPTIONS * lists the allowed methods', async () => {
  const { status, headers, body } = await ask('OPTIONS', '*', ['Host: x'])
  expect({ status, body }).toEqual({ status: 204, body: '' })
  expect(headers.get('allow')?.split(', ')).toEqual(['GET', 'HEAD', 'POST', 'PATCH', 'PUT', 'DELETE', 'OPTIONS'])
})
