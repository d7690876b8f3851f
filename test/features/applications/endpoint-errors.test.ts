import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { memoryLimiters } from '../../../src/engine/data/limiters.ts'
import { SignInLimits } from '../../../src/features/accounts/sign-in-limits.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { columnOf, hide } from '../../support/database/hide.ts'
import { fixedClient } from '../../support/oauth/client.ts'

let app: TestApp
let clientId: string
const signInLimits = new SignInLimits(memoryLimiters)
beforeAll(async () => {
  app = await startApp({ clientRegistration: true, signInLimits })
  clientId = await fixedClient(app, await app.person(), { deviceFlow: true })
})
afterAll(() => app.close())

const endpoints = ['token', 'revoke', 'introspect', 'device_authorization', 'register'] as const

/** What an endpoint answers, as clients of OAuth and of problem documents read it. */
async function ask(path: string, body: string, type = 'application/x-www-form-urlencoded', method = 'POST') {
  const headers = { 'content-type': type, accept: 'text/html, */*' }
  const response = await fetch(`${app.origin}/oauth/${path}`, {
    method,
    headers,
    ...(method === 'POST' && { body }),
  })
  expect(response.headers.get('content-type')).toBe('application/json')
  const { error, error_description, detail, code, status } = Object(await response.json())
  expect([error_description, status]).toEqual([detail, response.status])
  return [response.status, error, code]
}

describe.each(endpoints)('the endpoint %s reports as an error of OAuth', (path) => {
  test('a body that is too large', async () => {
    expect(await ask(path, 'x'.repeat(16_385))).toEqual([413, 'invalid_request', 'PAYLOAD_TOO_LARGE'])
  })

  test('another method', async () => {
    expect(await ask(path, '', 'text/plain', 'GET')).toEqual([405, 'invalid_request', 'METHOD_NOT_ALLOWED'])
  })

  test('a parameter that cannot be stored', async () => {
    const [body, error] =
      path === 'register' ? ['{"client_name":"\\u0000"}', 'invalid_client_metadata'] : ['scope=%00', 'invalid_request']
    expect(await ask(path, body)).toEqual([400, error, 'BAD_REQUEST'])
  })
})

test.each([
  ['device_authorization', 'step'],
  ['register', 'registration'],
] as const)('the endpoint %s reports that it was asked too often', async (path, kind) => {
  const addRows = async () => {
    for (;;) await signInLimits.addRow(kind, '127.0.0.1')
  }
  await expect(addRows()).rejects.toThrow('Too many')
  expect(await ask(path, '')).toEqual([429, 'temporarily_unavailable', 'RATE_LIMITED'])
})

test('an unexpected error is masked', async () => {
  await hide(app.database, columnOf('table access_tokens', 'hash'))
  const body = new URLSearchParams({ client_id: clientId, token: `rookery_${'A'.repeat(43)}` })
  expect(await ask('revoke', String(body))).toEqual([500, 'server_error', 'INTERNAL'])
})
