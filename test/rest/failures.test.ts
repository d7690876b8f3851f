import { afterAll, beforeAll, expect, test } from 'vitest'
import { startApp, type TestApp } from '../support/app.ts'
import { hide, nameOf } from '../support/hide.ts'
import { anyRequestId, readAnswer } from '../support/rest-answer.ts'

let app: TestApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.close())

test.each([
  ['when its token is looked up', 'access_tokens', 'V26.07.22', '/user'],
  ['when its data are read', 'users', 'V26.07.22', '/user'],
  [
    'on the page of replies, when its token is looked up',
    'access_tokens',
    'V26.05.28',
    `/reply/${crypto.randomUUID()}`,
  ],
])(
  'a failure %s is masked, logged under the request id, and has the version header',
  async (_when, table, version, path) => {
    const ada = await app.person()
    await hide(app.database, nameOf('table', table))
    const answer = await readAnswer(await app.rest(ada.token, 'GET', path))
    expect(answer).toEqual({
      status: 500,
      headers: { 'content-type': 'application/problem+json', 'api-version': version },
      requestId: anyRequestId,
      body: {
        type: 'urn:rookery:error:internal',
        title: 'Internal error',
        status: 500,
        detail: `An unexpected error occurred. It is logged as ${answer.requestId}.`,
        instance: `urn:uuid:${answer.requestId}`,
        code: 'INTERNAL',
      },
    })
    expect(app.lines.filter(({ level, requestId }) => level === 50 && requestId === answer.requestId)).toHaveLength(1)
  },
)
