import { afterAll, beforeAll, expect, test } from 'vitest'
import { startApp, type TestApp } from '../../support/app.ts'
import { sendRaw } from '../../support/raw-request.ts'
import { anyRequestId, readAnswer, refused } from '../../support/rest-answer.ts'
import { textOf } from '../../support/source-files.ts'

let app: TestApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.close())

test.each(['/openapi.json', '/openapi.json/', '/openapi.json?color=blue'])(
  '%s is served without a token',
  async (path) => {
    for (const token of [undefined, 'nonsense']) {
      const response = await app.rest(token, 'GET', path)
      expect(response.headers.get('access-control-allow-origin')).toBe('*')
      expect(await readAnswer(response)).toEqual({
        status: 200,
        headers: { 'content-type': 'application/json', 'api-version': 'V26.07.22' },
        requestId: anyRequestId,
        body: JSON.parse(textOf('openapi.json')),
      })
    }
  },
)

test('HEAD has the length but no body', async () => {
  const answer = await sendRaw(app.origin, { method: 'HEAD', path: '/api/v1/openapi.json' })
  expect(answer).toMatchObject({ status: 200, body: '' })
  expect(answer.headers['content-length']).toBe(String(Buffer.byteLength(textOf('openapi.json'))))
})

test.each(['POST', 'PUT', 'PATCH', 'DELETE'])('%s is refused like everywhere else', async (method) => {
  const expected = refused('V26.07.22', 'METHOD_NOT_ALLOWED', { headers: { allow: 'GET, HEAD, OPTIONS' } })
  expect(await readAnswer(await app.rest(undefined, method, '/openapi.json'))).toEqual(expected)
})

test('OPTIONS lists the allowed methods', async () => {
  const response = await app.rest(undefined, 'OPTIONS', '/openapi.json')
  expect(response.status).toBe(204)
  expect(response.headers.get('allow')).toBe('GET, HEAD, OPTIONS')
})
