import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Scope } from '../../../src/engine/scopes.ts'
import { scopes } from '../../../src/features/base/scopes.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { wrongCounters } from '../../support/database/counters.ts'
import { ids, settleFor, stateOf } from '../../support/networks/small-network.ts'
import { done, readAnswer, refused, tooNarrow } from '../../support/rest/answer.ts'
import { operationOf } from '../../support/rest/documented-answers.ts'
import { keyFaults } from '../../support/rest/extents.ts'
import { openapi } from '../../support/rest/openapi.ts'
import { operations } from '../../support/rest/operations.ts'
import { sample } from '../../support/sample.ts'

let app: TestApp
let token: string
let before: unknown
const ada = { id: ids.ada, username: 'Ada', token: '' }

beforeAll(async () => {
  app = await startApp({ mail: { signInNotice: false } })
})
afterAll(() => app.close())

const call = async (bearer: string | undefined, ...request: [string, string, unknown?, Record<string, string>?]) =>
  readAnswer(await app.rest(bearer, ...request))

const malformedIds = (id: string) => [
  ...['nope', id.slice(1), `${id}0`, `{${id}}`, id.replaceAll('-', ''), `%20${id}`, '%00', '@', '@a-b'],
  `@${'a'.repeat(31)}`,
]
const otherTypes = ['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp', 'application/problem+json']
const acceptedTypes: Readonly<Record<string, object>> = {
  PATCH: { 'accept-patch': 'application/json, application/merge-patch+json' },
  POST: { 'accept-post': 'application/json' },
}
const notJson = ['', '{', '{"content":"a"}}', "{'content':'a'}", 'undefined']
const badPages = ['0', '-1', '1.5', '1e3', '01', 'one', '100001', '99999999999999999999', '1%20']
const badLimits = ['0', '-1', '1.5', '101', 'ten', '', '%2B5']

test('every documented operation has a row in test/support/rest/operations.ts', () => {
  const rows = operations.map(({ method, path, id = '' }) => operationOf({ method, path: `/api/v1${path(id)}` }))
  const documented = Object.values(openapi.paths).flatMap((methods) => Object.values(methods))
  expect(documented.filter((it) => !rows.includes(it)).map(({ operationId }) => operationId)).toEqual([])
})

describe.each(operations)('$name', (operation) => {
  const { method, version, path, id = '', body, scopes: needed, otherScopes, page } = operation
  beforeAll(async () => {
    await settleFor(app.database, operation)
    token = await app.token(ada, scopes)
  })

  describe('is refused and changes nothing', () => {
    const alternatives = otherScopes.length > 0 ? [needed, otherScopes] : [needed]
    beforeAll(async () => {
      before = await stateOf(app.database)
    })
    afterAll(async () => {
      expect(await stateOf(app.database)).toEqual(before)
    })

    test.skipIf(operation.isOpen)('without a token', async () => {
      const expected = refused(version, 'UNAUTHENTICATED', {
        headers: { 'www-authenticate': 'Bearer realm="rookery"' },
      })
      expect(await call(undefined, method, path(id), body)).toEqual(expected)
    })

    test.skipIf(operation.isOpen)('with an unknown token', async () => {
      const headers = { 'www-authenticate': 'Bearer realm="rookery", error="invalid_token"' }
      const unknown = `rookery_${'A'.repeat(43)}`
      expect(await call(unknown, method, path(id), body)).toEqual(refused(version, 'UNAUTHENTICATED', { headers }))
    })

    test.skipIf(needed.length === 0)('with a token without its scopes, listing all alternatives', async () => {
      const granted = [needed.includes('account.manage') ? 'post.get' : 'account.manage'] as const
      const narrow = await app.token(ada, granted)
      expect(await call(narrow, method, path(id), body)).toEqual(tooNarrow(version, granted, alternatives))
    })

    test.each(needed)('without the scope %s', async (lacking) => {
      const others = otherScopes.filter((scope) => !needed.includes(scope))
      const granted = scopes.filter((scope) => scope !== lacking && !others.includes(scope))
      expect(await call(await app.token(ada, granted), method, path(id), body)).toEqual(
        tooNarrow(version, granted, alternatives),
      )
    })

    test.for(otherScopes.length > 0 ? [otherScopes] : [])('with %j, the scopes of the other type', async (others) => {
      const narrow = await app.token(ada, others)
      const missing = needed.filter((scope) => !others.includes(scope))
      expect(await call(narrow, method, path(id), body)).toEqual(tooNarrow(version, others, [missing]))
    })

    test.each(id ? [ids.nothing, ids.adaGone, ids.loom, ...operation.wrongKind].filter((it) => it !== id) : [])(
      'for %s, the id of something that it does not serve',
      async (other) => {
        expect(await call(token, method, path(other), body)).toEqual(refused(version, 'NOT_FOUND'))
      },
    )

    test.each(id ? sample(malformedIds(id), 2) : [])('for the malformed id %j', async (malformed) => {
      expect(await call(token, method, path(malformed), body)).toEqual(refused(version, 'NOT_FOUND'))
    })

    test.each(operation.anothers)('for the publication of another user: %s', async (other) => {
      expect(await call(token, method, path(other), body)).toEqual(refused(version, 'FORBIDDEN'))
    })

    test.for(sample(operation.badBodies, 6))('with the body $body, listing $fields', async ({ body: bad, fields }) => {
      const expected = refused(version, 'VALIDATION_FAILED', { fields })
      expect(await call(token, method, path(id), bad)).toEqual(expected)
    })

    test.each(body ? sample(otherTypes, 1) : [])('with a body of media type %s', async (type) => {
      const expected = refused(version, 'UNSUPPORTED_MEDIA_TYPE', { headers: { ...acceptedTypes[method] } })
      expect(await call(token, method, path(id), body, { 'content-type': type })).toEqual(expected)
    })

    test.each(body ? sample(notJson, 1) : [])('with the body %j, which is not JSON', async (text) => {
      expect(await call(token, method, path(id), text)).toEqual(refused(version, 'BAD_REQUEST'))
    })

    test.for(page ? sample(badPages, 2) : [])('on the page %s', async (number) => {
      const expected = refused(version, 'VALIDATION_FAILED', { fields: ['page'] })
      expect(await call(token, method, page?.(number) ?? '')).toEqual(expected)
    })

    test.for(page ? sample(badLimits, 2) : [])('with the limit %j', async (limit) => {
      const target = page?.('1') ?? ''
      const expected = refused(version, 'VALIDATION_FAILED', { fields: ['limit'] })
      const asked = `${target}${target.includes('?') ? '&' : '?'}limit=${limit}`
      expect(await call(token, method, asked)).toEqual(expected)
    })
  })

  test('works with only its own scopes, and has the documented keys', async () => {
    const just: readonly Scope[] = needed
    const headers = operation.link === undefined ? {} : { link: operation.link }
    const expected = done(version, operation.answer, headers)
    const bearer = operation.isOpen ? undefined : await app.token(ada, just)
    const answered = await call(bearer, method, path(id), body)
    expect(answered).toEqual(expected)
    expect(keyFaults(operationOf({ method, path: `/api/v1${path(id)}` }), answered.body, false)).toEqual([])
    expect(await wrongCounters(app.database)).toEqual([])
  })
})
