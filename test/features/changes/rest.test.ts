import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { type Person, startApp, type TestApp } from '../../support/app.ts'
import { untilSettled } from '../../support/graphql/changes.ts'
import { publish } from '../../support/graphql/publish.ts'

let app: TestApp
let ada: Person
let bob: Person
beforeAll(async () => {
  app = await startApp()
  ada = await app.person('ada')
  bob = await app.person('bob')
})
afterAll(() => app.close())

const changesIn = z.object({ changes: z.array(z.looseObject({ kind: z.string(), uuid: z.string() })) })

/** Reads a page, and returns its changes and the path of the next one. */
async function read(path: string, headers: Record<string, string> = {}) {
  const response = await app.rest(ada.token, 'GET', path, undefined, headers)
  const [, next = ''] = /^<\/api\/v1([^>]*)>; rel="next"$/.exec(response.headers.get('link') ?? '') ?? []
  return { ...changesIn.parse(await response.json()), next, response }
}

test('following the links from the end of the feed gives each change once, in the form of the interface', async () => {
  await untilSettled(app)
  const { changes, next, response } = await read('/changes?limit=2', { prefer: 'wait=25' })
  expect(changes).toEqual([])
  // Without a cursor, there is nothing to wait for.
  expect(response.headers.get('preference-applied')).toBeNull()
  const post = await publish(app, bob, { content: 'By Bob' })
  await app.rest(ada.token, 'POST', `/user/${bob.id}/follow`)
  await app.rest(ada.token, 'POST', `/post/${post}/like`)
  const gone = await publish(app, ada, { content: 'Gone' })
  await app.rest(ada.token, 'DELETE', `/post/${gone}`)
  await untilSettled(app)
  const first = await read(next)
  const second = await read(first.next)
  const third = await read(second.next)
  const seen = [...first.changes, ...second.changes]
  const ofPost = { user: null, actor: { username: 'ada' } }
  expect(seen).toMatchObject([
    { kind: 'published', uuid: post, post: { content: 'By Bob' }, user: null, actor: { username: 'bob' } },
    { kind: 'followed', uuid: bob.id, post: null, user: { username: 'bob' }, actor: { username: 'ada' } },
    { kind: 'liked', uuid: post, post: { uuid: post, has_liked: true }, ...ofPost },
    { kind: 'published', uuid: gone, post: null, ...ofPost },
  ])
  expect(third.changes).toMatchObject([{ kind: 'deleted', uuid: gone, post: null, ...ofPost }])
  const end = await read(third.next)
  expect(end).toMatchObject({ changes: [], next: third.next })
})

test('a cursor that names no stored change gets 410, and other text 422', async () => {
  const unknown = await app.rest(ada.token, 'GET', `/changes?after=${'A'.repeat(22)}`)
  expect(unknown.status).toBe(410)
  expect(await unknown.json()).toMatchObject({ code: 'CURSOR_EXPIRED', status: 410 })
  const malformed = await app.rest(ada.token, 'GET', '/changes?after=now')
  expect(await malformed.json()).toMatchObject({ code: 'VALIDATION_FAILED', errors: [{ field: 'after' }] })
})
