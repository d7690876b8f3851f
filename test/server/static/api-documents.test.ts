import { afterAll, beforeAll, expect, test } from 'vitest'
import { startApp, type TestApp } from '../../support/app.ts'
import { anyRequestId, readAnswer } from '../../support/rest-answer.ts'
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
