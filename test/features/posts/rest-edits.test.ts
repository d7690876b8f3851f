import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { newId } from '../../../src/engine/data/ids.ts'
import { scopes } from '../../../src/features/base/scopes.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { ids, settle } from '../../support/networks/small-network.ts'

let app: TestApp
let ada: string
beforeAll(async () => {
  app = await startApp()
})
beforeEach(async () => {
  await settle(app.database)
  ada = await app.token({ id: ids.ada, username: 'Ada', token: '' }, scopes)
})
afterAll(() => app.close())

/** The entity tag of a response, whatever its encoding. */
const tagIn = ({ headers }: Response) => headers.get('etag')?.replace(/\.(?:br|gzip)"$/, '"') ?? ''
const tagOf = async (path: string) => tagIn(await app.rest(ada, 'GET', path))
const edit = (path: string, ifMatch: string, content = 'Edited', headers = {}) =>
  app.rest(ada, 'PATCH', path, { content }, { 'if-match': ifMatch, ...headers })
const uuidIn = async (response: Response) => String(Object(await response.json()).uuid)

describe('without reading it', () => {
  test.each([
    ['post', '/post', { content: 'New' }],
    ['reply over /post', '/post', { content: 'New', parent: ids.adaPost }],
    ['reply', '/reply', { content: 'New', parent: ids.adaPost }],
  ])('a new %s can be edited again and again', async (_what, path, body) => {
    const sent = await app.rest(ada, 'POST', path, body)
    const resource = `${path}/${await uuidIn(sent)}`
    let tag = tagIn(sent)
    for (const content of ['One', 'Two', 'Three']) {
      expect(tag).toBe(await tagOf(resource))
      const edited = await edit(resource, tag, content)
      expect(edited.status).toBe(200)
      expect((await edit(resource, tag, 'Lost')).status).toBe(412)
      tag = tagIn(edited)
    }
    expect((await app.rest(ada, 'DELETE', resource, undefined, { 'if-match': tag })).status).toBe(200)
  })

  test('a reply that is sent again has the same tag, unless it has replies meanwhile', async () => {
    const body = { content: 'New', parent: ids.adaPost, uuid: newId() }
    const first = await app.rest(ada, 'POST', '/reply', body)
    expect(tagIn(first)).toBe(await tagOf(`/reply/${body.uuid}`))
    expect(tagIn(await app.rest(ada, 'POST', '/reply', body))).toBe(tagIn(first))
    await app.rest(ada, 'POST', '/reply', { content: 'New', parent: body.uuid })
    expect((await app.rest(ada, 'POST', '/reply', body)).headers.get('etag')).toBeNull()
  })
})

const kinds = [`/post/${ids.adaPost}`, `/post/${ids.adaReply}`, `/reply/${ids.adaReply}`]

describe.each(kinds)('412 for %s', (path) => {
  test.each(['PATCH', 'DELETE'])('of %s has the current tag, which allows it', async (method) => {
    const send = (headers: Record<string, string>) =>
      app.rest(ada, method, path, method === 'PATCH' ? { content: 'Edited' } : undefined, headers)
    const old = await tagOf(path)
    await app.rest(ada, 'PATCH', path, { content: 'Edited elsewhere' })
    const current = await tagOf(path)
    const conditions = [
      { headers: { 'if-match': old }, reason: 'It was edited since you read it. Read it again, then edit.' },
      { headers: { 'if-none-match': '*' }, reason: 'It has an entity tag that If-None-Match excludes.' },
      { headers: { 'if-none-match': current }, reason: 'It has an entity tag that If-None-Match excludes.' },
    ]
    for (const { headers, reason } of conditions) {
      const refused = await send(headers)
      expect([refused.status, tagIn(refused)]).toEqual([412, current])
      expect(await refused.json()).toMatchObject({ detail: reason })
    }
    expect((await send({ 'if-match': current })).status).toBe(200)
  })

  test('lets many who edit at once all succeed, one after the other', async () => {
    const first = await tagOf(path)
    const editors = Array.from({ length: 6 }, async (_, nth) => {
      for (let [tag, tries] = [first, 1]; ; tries += 1) {
        const response = await edit(path, tag, `Edit ${nth}`)
        if (response.status === 200) return tries
        expect(response.status).toBe(412)
        tag = tagIn(response)
      }
    })
    const tries = await Promise.all(editors)
    expect(Math.max(...tries)).toBeLessThanOrEqual(editors.length)
  })
})

test('a stored 412 has the tag of the time when it is repeated', async () => {
  const [path, key] = [`/post/${ids.adaPost}`, { 'idempotency-key': randomUUID() }]
  expect((await edit(path, '"x"', 'Edited', key)).status).toBe(412)
  await app.rest(ada, 'PATCH', path, { content: 'Edited elsewhere' })
  const repeated = await edit(path, '"x"', 'Edited', key)
  expect([repeated.status, repeated.headers.get('idempotency-replayed')]).toEqual([412, 'true'])
  expect(tagIn(repeated)).toBe(await tagOf(path))
})
