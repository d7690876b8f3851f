import { v7 as newUuid } from 'uuid'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { type Person, startApp, type TestApp } from '../../support/app.ts'
import { readAnswer } from '../../support/rest/answer.ts'

let app: TestApp
let ada: Person
let bob: Person
beforeAll(async () => {
  app = await startApp()
  ada = await app.person('ada')
  bob = await app.person('bob')
})
afterAll(() => app.close())

const ask = async (who: Person, method: string, path: string, body?: object) =>
  readAnswer(await app.rest(who.token, method, path, body))
const post = z.object({ uuid: z.uuid() })
const send = async (who: Person, body: object) => post.parse((await ask(who, 'POST', '/post', body)).body).uuid

test.each(['everybody', 'followers', 'addressed'])('a post for %s says so in its full view', async (audience) => {
  const { status, body } = await ask(ada, 'POST', '/post?view=full', { content: 'Hello', audience })
  expect({ status, body }).toMatchObject({ status: 200, body: { audience } })
})

test('a post for addressees is in their lists, and nobody else finds it', async () => {
  const eve = await app.person('eve')
  const uuid = await send(ada, { content: 'Only for @bob', audience: 'addressed' })
  expect((await ask(bob, 'GET', `/post/${uuid}`)).status).toBe(200)
  expect((await ask(bob, 'GET', '/user/@bob/addressed/1')).body).toEqual({
    user: bob.id,
    posts: [expect.objectContaining({ uuid })],
  })
  expect((await ask(eve, 'GET', `/post/${uuid}`)).status).toBe(404)
  expect((await ask(eve, 'GET', '/user/@bob/addressed/1')).status).toBe(403)
})

test('a reply is for fewer than its parent, but not for more', async () => {
  const parent = await send(ada, { content: 'Quietly, @bob', audience: 'addressed' })
  const wider = await ask(bob, 'POST', '/reply', { parent, content: 'Loudly', audience: 'followers' })
  expect(wider).toMatchObject({ status: 422, body: { errors: [{ field: 'audience' }] } })
  const open = await send(ada, { content: 'Hello' })
  const narrower = await ask(bob, 'POST', '/reply?view=full', { parent: open, content: 'Hi', audience: 'addressed' })
  expect(narrower).toMatchObject({ status: 200, body: { reply: { audience: 'addressed' } } })
})

test('what is sent again for another audience is a conflict', async () => {
  const sent = { uuid: newUuid(), content: 'Once', audience: 'followers' }
  expect((await ask(ada, 'POST', '/post', sent)).status).toBe(200)
  expect((await ask(ada, 'POST', '/post', sent)).status).toBe(200)
  expect((await ask(ada, 'POST', '/post', { ...sent, audience: 'everybody' })).status).toBe(409)
})
