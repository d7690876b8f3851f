import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Person, startApp, type TestApp } from '../../support/app.ts'
import { moderator, reportOf } from '../../support/graphql/moderation.ts'
import { publish } from '../../support/graphql/publish.ts'
import { readAnswer } from '../../support/rest/answer.ts'

let app: TestApp
let mo: Person
let bob: Person
beforeAll(async () => {
  app = await startApp()
  mo = await moderator(app, 'mo')
  bob = await app.person('bob')
})
afterAll(() => app.close())

const call = async (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
  readAnswer(await app.rest(mo.token, method, path, body, headers))

test('reports are listed by their state, which links to other pages keep', async () => {
  const uuids = [await reportOf(app, mo, bob.id), await reportOf(app, mo, await publish(app, bob))]
  for (const uuid of uuids) await call('PATCH', `/moderation/report/${uuid}`, { note: 'Done' })
  const open = await reportOf(app, mo, bob.id)
  const listed = { status: 200, body: { reports: [{ uuid: open, state: 'open' }] } }
  expect(await call('GET', '/moderation/reports/1')).toMatchObject(listed)
  expect(await call('GET', '/moderation/reports?state=open')).toMatchObject(listed)
  const { body, headers } = await call('GET', '/moderation/reports/1?limit=1&state=closed')
  expect(body).toMatchObject({ reports: [{ uuid: uuids[1], state: 'closed' }] })
  const path = (page: number) => `</api/v1/moderation/reports/${page}?limit=1&state=closed>`
  expect(headers.link).toBe(`${path(1)}; rel="first", ${path(2)}; rel="next"`)
  for (const state of ['', 'OPEN', 'done'])
    expect(await call('GET', `/moderation/reports/1?state=${state}`)).toMatchObject({
      status: 422,
      body: { errors: [{ field: 'state' }] },
    })
})

test('a post is removed for a reason, in the query', async () => {
  const path = `/moderation/post/${await publish(app, bob, { content: 'Buy this' })}`
  for (const query of ['', '?reason=', `?reason=${'a'.repeat(1_001)}`])
    expect(await call('DELETE', path + query)).toMatchObject({ status: 422, body: { errors: [{ field: 'reason' }] } })
  const key = { 'idempotency-key': 'removal' }
  const reason = encodeURIComponent('Spam & more')
  for (let count = 0; count < 2; count++)
    expect(await call('DELETE', `${path}?reason=${reason}`, undefined, key)).toMatchObject({
      status: 200,
      body: { content: 'Buy this' },
    })
  expect(await call('DELETE', `${path}?reason=Other`, undefined, key)).toMatchObject({
    body: { code: 'IDEMPOTENCY_KEY_REUSED' },
  })
  expect(await call('GET', '/moderation/log?limit=1')).toMatchObject({
    body: { log: [{ action: 'publication_removed', actor_uuid: mo.id, username: 'bob', reason: 'Spam & more' }] },
  })
})
