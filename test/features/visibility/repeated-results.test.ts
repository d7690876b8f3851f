import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { follows } from '../../../src/features/base/relations.ts'
import { type Person, startApp, type TestApp } from '../../support/app.ts'
import { removeFollower, setPrivate } from '../../support/graphql/follow-requests.ts'
import { publish } from '../../support/graphql/publish.ts'
import { setRelation } from '../../support/graphql/relations.ts'
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

const replyTo = async (parent: string, key: string) => {
  const headers = { 'Idempotency-Key': key }
  return readAnswer(await app.rest(bob.token, 'POST', '/reply', { parent, content: 'An answer' }, headers))
}
const done = { status: 409, body: { code: 'CONFLICT', detail: expect.stringContaining('This was done') } }
const reply = z.object({ uuid: z.uuid() })

test('a removed follower gets no earlier response with what followers see', async () => {
  await setRelation(app, bob, follows, ada.id)
  const quiet = await publish(app, ada, { content: 'Quietly', audience: 'FOLLOWERS' })
  const open = await publish(app, ada, { content: 'Openly' })
  for (const post of [quiet, open]) expect((await replyTo(post, post)).status).toBe(200)
  await removeFollower(app, ada, bob)
  expect(await replyTo(quiet, quiet)).toMatchObject(done)
  expect(await replyTo(open, open)).toMatchObject({ status: 200, body: { parent: open } })
})

test('an account that became private is in no earlier response to others', async () => {
  const post = await publish(app, ada, { content: 'For a while' })
  const first = await replyTo(post, 'before')
  expect(first.status).toBe(200)
  await setPrivate(app, ada)
  expect(await replyTo(post, 'before')).toMatchObject(done)
  await setPrivate(app, ada, false)
  expect((await replyTo(post, 'before')).body).toEqual(first.body)
})

test('an own deletion is repeated', async () => {
  const post = await publish(app, bob, { content: 'Only for @ada', audience: 'ADDRESSED' })
  const { uuid } = reply.parse((await replyTo(post, 'reply')).body)
  const remove = async () =>
    readAnswer(await app.rest(bob.token, 'DELETE', `/reply/${uuid}`, undefined, { 'Idempotency-Key': 'delete' }))
  const first = await remove()
  expect(first.status).toBe(200)
  expect((await remove()).body).toEqual(first.body)
})
