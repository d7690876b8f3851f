import { isInterfaceType, isObjectType, parse, TypeInfo, visit, visitWithTypeInfo } from 'graphql'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { Documents } from '../../../src/engine/execution/documents.ts'
import { prepareDocuments } from '../../../src/engine/rest/prepared-documents.ts'
import { scopes } from '../../../src/features/base/scopes.ts'
import { rest } from '../../../src/server/rest.ts'
import { schema } from '../../../src/server/schema.ts'
import { type Person, startApp, type TestApp } from '../../support/app.ts'
import { ids, settle, settleFor } from '../../support/networks/small-network.ts'
import { done, readAnswer, refused } from '../../support/rest/answer.ts'
import { operationOf } from '../../support/rest/documented-answers.ts'
import { keyFaults } from '../../support/rest/extents.ts'
import { parametersOf } from '../../support/rest/openapi.ts'
import type { Operation } from '../../support/rest/operation.ts'
import { operations } from '../../support/rest/operations.ts'
import { sample } from '../../support/sample.ts'

let app: TestApp
let token: string
const ada = { id: ids.ada, username: 'Ada', token: '' }

beforeAll(async () => {
  app = await startApp({ mail: { signInNotice: false } })
  await settle(app.database)
  token = await app.token(ada, scopes)
})
afterAll(() => app.close())

const call = async (...request: [string, string, string, unknown?, Record<string, string>?]) =>
  readAnswer(await app.rest(...request))

const withQuery = (path: string, query: string) => `${path}${path.includes('?') ? '&' : '?'}${query}`

const documentedOf = ({ method, path, id = '' }: Operation) => operationOf({ method, path: `/api/v1${path(id)}` })

const isExtended = (operation: Operation) => {
  const documented = documentedOf(operation)
  return documented && parametersOf(documented).some(({ name }) => name === 'view')
}
const extended = operations.filter(isExtended)

/** A response as its full view has it: texts without the warnings in front of them. */
function withoutWarnings(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(/^\[CW: .*\]\n\n/, '')
  if (Array.isArray(value)) return value.map(withoutWarnings)
  if (value === null || Object.getPrototypeOf(value) !== Object.prototype) return value
  return Object.fromEntries(Object.entries(Object(value)).map(([key, inner]) => [key, withoutWarnings(inner)]))
}

describe.each(extended)('$name', (operation) => {
  const { method, version, path, id = '', body, scopes: needed, answer, link, page } = operation
  beforeAll(async () => {
    await settleFor(app.database, operation)
    token = await app.token(ada, scopes)
  })

  test.each(sample(['', 'documented', 'FULL', 'full,full'], 1))('refuses the view %j', async (view) => {
    const expected = refused(version, 'VALIDATION_FAILED', { fields: ['view'] })
    expect(await call(token, method, withQuery(path(id), `view=${view}`), body)).toEqual(expected)
  })

  test.for(page ? [page] : [])('has full views of a hundred elements', async (path) => {
    const answer = await call(token, method, withQuery(path('1').replace(ids.nothing, id), 'limit=100&view=full'))
    expect(answer.status).toBe(200)
    expect(answer.headers.link).toMatch(/[?&]view=full/)
  })

  test('has the documented keys and then others, with the same scopes', async () => {
    const full = await call(await app.token(ada, needed), method, withQuery(path(id), 'view=full'), body)
    const headers = link === undefined ? {} : { link: expect.stringContaining('view=full') }
    expect(full).toMatchObject(done(version, withoutWarnings(answer), headers))
    expect(keyFaults(documentedOf(operation), full.body, true)).toEqual([])
  })
})

test.each(operations.filter((operation) => !isExtended(operation)))(
  '$name ignores views, because no object in its response has others',
  async (operation) => {
    const { method, version, path, id = '', body, answer } = operation
    await settleFor(app.database, operation)
    const bearer = await app.token(ada, scopes)
    expect(await call(bearer, method, withQuery(path(id), 'view=x'), body)).toMatchObject(done(version, answer))
  },
)

test.each(rest.operations)('$id requires the same scopes for full views', (operation) => {
  const documents = new Documents(schema, { introspection: false })
  const [documented, full] = [false, true].map((isFull) => prepareDocuments(rest, operation, documents, { isFull }))
  expect(full?.requiredScopes).toEqual(documented?.requiredScopes)
})

test('full views have every value of a publication and of a user that GraphQL returns without a scope', () => {
  const info = new TypeInfo(schema)
  const selected = new Set<string>()
  const visitor = visitWithTypeInfo(info, {
    Field: ({ name }) => void selected.add(`${info.getParentType()}.${name.value}`),
  })
  for (const { document } of rest.operations) visit(parse(document.full.source), visitor)
  const missing = [schema.getType('Publication'), schema.getType('User')].flatMap((type) => {
    if (!isObjectType(type) && !isInterfaceType(type)) return []
    const values = Object.values(type.getFields()).filter(
      ({ args, extensions }) => args.length === 0 && !extensions.requiredScopes,
    )
    return values.map(({ name }) => `${type}.${name}`).filter((name) => !selected.has(name))
  })
  expect(missing).toEqual(['Publication.id', 'User.id'])
})

describe('the full view', () => {
  let person: Person
  let other: Person
  let post: string
  const get = async (path: string, headers?: Record<string, string>) =>
    app.rest(person.token, 'GET', path, undefined, headers)
  beforeAll(async () => {
    person = await app.person('anna')
    other = await app.person('otto')
    const content = { content: 'Hi @OTTO, it is #Morning' }
    post = JSON.parse(await (await app.rest(person.token, 'POST', '/post', content)).text()).uuid
    for (const path of [`/post/${post}/bookmark`, '/user/@otto/mute']) await app.rest(person.token, 'POST', path)
    await app.rest(other.token, 'POST', '/user/@anna/follow')
  })

  test('of a post and of a reply has what GraphQL has', async () => {
    const reply = { content: 'Bye', parent: post }
    const { uuid, ...sent } = JSON.parse(await (await app.rest(other.token, 'POST', '/post?view=full', reply)).text())
    const flags = { edited_at: null, has_bookmarked: false, mentions: [], hashtags: [] }
    expect(sent).toMatchObject({ ...flags, parent: { uuid: post, has_bookmarked: false, like_count: 0 } })
    expect(sent.parent.mentions).toEqual([{ start: 3, end: 8, user: { uuid: other.id, username: 'otto' } }])

    const { parent, author, ...read } = JSON.parse(await (await get(`/post/${uuid}?view=full`)).text())
    expect({ uuid, ...read }).toEqual({ ...sent, uuid, parent: undefined, author: undefined })
    expect(parent).toMatchObject({ has_bookmarked: true, reply_count: 1 })
    expect(parent.hashtags).toEqual([{ start: 16, end: 24, hashtag: { name: 'morning' } }])
    const relations = {
      has_followed: false,
      follows_viewer: true,
      has_blocked: false,
      blocks_viewer: false,
      has_muted: true,
    }
    expect(author).toMatchObject(relations)
    expect(JSON.parse(await (await get(`/reply/${uuid}?view=full`)).text())).toMatchObject({
      ...flags,
      created_at: read.created_at,
    })
  })

  test('of a user has what GraphQL has', async () => {
    const { user } = Object((await app.graphql(person.token, '{ user(by: { username: "otto" }) { version } }')).data)
    expect(await (await get('/user/@otto?view=full')).json()).toMatchObject({
      ...{ has_followed: false, follows_viewer: true, has_blocked: false, blocks_viewer: false, has_muted: true },
      ...{ edited_at: null, version: user.version },
    })
  })

  test('is also in changes, and in the link to the next ones', async () => {
    const next = async (path: string) => {
      const response = await get(path)
      const [, link = ''] = /^<\/api\/v1([^>]+)>; rel="next"$/.exec(response.headers.get('link') ?? '') ?? []
      return { link, body: await response.json() }
    }
    const { link } = await next('/changes?view=full')
    await app.rest(person.token, 'PATCH', `/post/${post}`, { content: 'Hi again' })
    await app.rest(person.token, 'POST', '/user/@otto/follow')
    const changes = [{ post: { uuid: post } }, { user: { uuid: other.id } }]
    await vi.waitFor(async () => {
      const { body } = await next(link)
      expect(body).toMatchObject({ changes })
      expect(keyFaults(operationOf({ method: 'GET', path: '/api/v1/changes' }), body, true)).toEqual([])
    }, 30_000)
  })
})

describe('the entity tag of a full view', () => {
  let person: Person
  let path: string
  const send = (method: string, target: string, body?: object, headers?: Record<string, string>) =>
    app.rest(person.token, method, target, body, headers)
  const tagOf = async (target: string) => (await send('GET', target)).headers.get('etag') ?? ''
  beforeAll(async () => {
    person = await app.person()
    const response = await send('POST', '/post?view=full', { content: 'One' })
    path = `/post/${JSON.parse(await response.text()).uuid}`
    expect(response.headers.get('etag')).toBe(await tagOf(`${path}?view=full`))
  })

  test('is not that of the object by default', async () => {
    const tags = [await tagOf(path), await tagOf(`${path}?view=full`)]
    expect(new Set(tags).size).toBe(2)
    for (const method of ['GET', 'HEAD'])
      for (const [index, target] of [path, `${path}?view=full`].entries())
        expect((await send(method, target, undefined, { 'if-none-match': tags[index] ?? '' })).status).toBe(304)
    expect((await send('GET', path, undefined, { 'if-none-match': tags[1] ?? '' })).status).toBe(200)
  })

  test('changes with what only the full view has', async () => {
    const before = [await tagOf(path), await tagOf(`${path}?view=full`)]
    await send('POST', `${path}/bookmark`)
    const after = [await tagOf(path), await tagOf(`${path}?view=full`)]
    expect(after.map((tag, index) => tag === before[index])).toEqual([true, false])
  })

  test.each(['', '?view=full'])('is a condition of writes to the path and %j', async (query) => {
    const tag = await tagOf(`${path}?view=full`)
    const condition = { 'if-match': tag }
    const written = await send('PATCH', `${path}${query}`, { content: `After ${query}` }, condition)
    expect([written.status, written.headers.get('etag')]).toEqual([200, await tagOf(`${path}${query}`)])
    const refusal = await send('PATCH', `${path}${query}`, { content: 'Never' }, condition)
    expect([refusal.status, refusal.headers.get('etag')]).toEqual([412, await tagOf(`${path}${query}`)])
  })

  test('lets If-None-Match refuse a write of the same view', async () => {
    const condition = { 'if-none-match': await tagOf(`${path}?view=full`) }
    expect((await send('PATCH', `${path}?view=full`, { content: 'Never' }, condition)).status).toBe(412)
  })

  test('comes with a reply that was sent or edited', async () => {
    const sent = await send('POST', '/reply?view=full', { content: 'A', parent: path.slice('/post/'.length) })
    const reply = `/reply/${JSON.parse(await sent.text()).uuid}?view=full`
    expect(sent.headers.get('etag')).toBe(await tagOf(reply))
    expect((await send('PATCH', reply, { content: 'B' })).headers.get('etag')).toBe(await tagOf(reply))
  })
})

test('a write with an Idempotency-Key is repeated with the view that it asked for', async () => {
  const { token } = await app.person()
  const send = (path: string) => app.rest(token, 'POST', path, { content: 'Once' }, { 'idempotency-key': 'k' })
  const first = await send('/post?view=full')
  const body = await first.text()
  expect(body).toContain('"has_bookmarked":false')
  expect(await (await send('/post?view=full')).text()).toBe(body)
  expect((await readAnswer(await send('/post'))).body).toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED' })
})

test('a full view costs more points', async () => {
  const { token, id } = await app.person()
  const costOf = async (query: string) => {
    const { headers } = await app.rest(token, 'GET', `/user/${id}/posts/1${query}`)
    return Number(headers.get('rookery-cost'))
  }
  expect(await costOf('?view=full')).toBeGreaterThan(await costOf(''))
})
