import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Scope, scopes } from '../../src/scopes.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { readAnswer } from '../support/rest-answer.ts'
import { ids, settle } from '../support/small-network.ts'

let app: TestApp

beforeAll(async () => {
  app = await startApp()
  await settle(app.database)
})
afterAll(() => app.close())

type Request = {
  readonly granted?: readonly Scope[]
  readonly method: string
  readonly path: string
  readonly body?: unknown
  readonly type?: string
}

const tooLarge = `{"content":"${'a'.repeat(300 * 1024)}"}`
const post = (id: string) => `/post/${id}`
const all = scopes

/** Each request has two or more faults. The documented order decides which one is reported. */
const requests: readonly (Request & { readonly faults: string; readonly status: number; readonly code: string })[] = [
  { faults: 'no token, no such path', method: 'GET', path: '/nowhere', status: 401, code: 'UNAUTHENTICATED' },
  { faults: 'no token, malformed id', method: 'GET', path: post('x'), status: 401, code: 'UNAUTHENTICATED' },
  { faults: 'no token, wrong method', method: 'PUT', path: '/user', status: 401, code: 'UNAUTHENTICATED' },
  {
    faults: 'no token, malformed JSON',
    method: 'POST',
    path: '/post',
    body: '{',
    status: 401,
    code: 'UNAUTHENTICATED',
  },
  { faults: 'malformed id, wrong method', granted: [], method: 'PUT', path: post('x'), status: 404, code: 'NOT_FOUND' },
  {
    faults: 'malformed id, wrong type, missing scope',
    granted: [],
    method: 'PATCH',
    path: post('x'),
    body: 'a',
    type: 'text/plain',
    status: 404,
    code: 'NOT_FOUND',
  },
  {
    faults: 'wrong method, wrong type, missing scope',
    granted: [],
    method: 'PUT',
    path: '/post',
    body: 'a',
    type: 'text/plain',
    status: 405,
    code: 'METHOD_NOT_ALLOWED',
  },
  {
    faults: 'wrong type, too large, missing scope',
    granted: [],
    method: 'POST',
    path: '/post',
    body: tooLarge,
    type: 'text/plain',
    status: 415,
    code: 'UNSUPPORTED_MEDIA_TYPE',
  },
  {
    faults: 'too large, malformed JSON, missing scope',
    granted: [],
    method: 'POST',
    path: '/post',
    body: `{${tooLarge}`,
    status: 413,
    code: 'PAYLOAD_TOO_LARGE',
  },
  {
    faults: 'malformed JSON, missing scope',
    granted: [],
    method: 'POST',
    path: '/reply',
    body: '{',
    status: 400,
    code: 'BAD_REQUEST',
  },
  {
    faults: 'missing scope, no object, no such post',
    granted: ['user.get'],
    method: 'PATCH',
    path: post(ids.nothing),
    body: '[]',
    status: 403,
    code: 'INSUFFICIENT_SCOPE',
  },
  {
    faults: 'missing scope, bad content',
    granted: ['reply.get'],
    method: 'POST',
    path: '/reply',
    body: {},
    status: 403,
    code: 'INSUFFICIENT_SCOPE',
  },
  {
    faults: 'missing scope, bad page, no such user',
    granted: ['user.get'],
    method: 'GET',
    path: `/user/${ids.nothing}/following?page=0`,
    status: 403,
    code: 'INSUFFICIENT_SCOPE',
  },
  {
    faults: 'missing scope, no such reply',
    granted: ['post.get', 'post.like'],
    method: 'PUT',
    path: `/like/${ids.nothing}`,
    status: 403,
    code: 'INSUFFICIENT_SCOPE',
  },
  {
    faults: 'bad page, no such user',
    granted: all,
    method: 'GET',
    path: '/user/@nobody/posts/0',
    status: 422,
    code: 'VALIDATION_FAILED',
  },
  {
    faults: 'bad content, no such post',
    granted: all,
    method: 'PATCH',
    path: post(ids.nothing),
    body: { content: '' },
    status: 422,
    code: 'VALIDATION_FAILED',
  },
  {
    faults: "bad content, another's post",
    granted: all,
    method: 'PATCH',
    path: post(ids.bobPost),
    body: { content: ' ' },
    status: 422,
    code: 'VALIDATION_FAILED',
  },
  {
    faults: "nothing left to change, another's reply",
    granted: all,
    method: 'PATCH',
    path: `/reply/${ids.bobReply}`,
    body: {},
    status: 422,
    code: 'VALIDATION_FAILED',
  },
  {
    faults: 'bad content, no such parent',
    granted: all,
    method: 'POST',
    path: '/reply',
    body: { content: 'a'.repeat(501), parent: ids.nothing },
    status: 422,
    code: 'VALIDATION_FAILED',
  },
  {
    faults: 'bad content, locked parent',
    granted: all,
    method: 'POST',
    path: '/post',
    body: { content: '', parent: ids.bobPost },
    status: 422,
    code: 'VALIDATION_FAILED',
  },
  {
    faults: "a post where replies are served, another's",
    granted: all,
    method: 'PATCH',
    path: `/reply/${ids.bobPost}`,
    body: { content: 'Mine' },
    status: 404,
    code: 'NOT_FOUND',
  },
  {
    faults: "missing scope of its kind, another's post",
    granted: ['reply.get', 'reply.edit'],
    method: 'PATCH',
    path: post(ids.bobPost),
    body: { content: 'Mine' },
    status: 403,
    code: 'INSUFFICIENT_SCOPE',
  },
  {
    faults: 'missing scope of its kind, no such parent',
    granted: ['post.get', 'post.send'],
    method: 'POST',
    path: '/post',
    body: { content: 'A reply', parent: ids.nothing },
    status: 403,
    code: 'INSUFFICIENT_SCOPE',
  },
]

test.each(requests)('$faults: $code', async ({ granted, method, path, body, type, status, code }) => {
  const token = granted && (await app.token({ id: ids.ada, username: 'Ada', token: '' }, granted))
  const answer = await readAnswer(
    await app.rest(token, method, path, body, type === undefined ? {} : { 'content-type': type }),
  )
  expect(answer).toMatchObject({ status, body: { status, code } })
})
