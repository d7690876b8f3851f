import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { scopes } from '../../src/scopes.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { wrongCounters } from '../support/counters.ts'
import { posts, users } from '../support/documented-shapes.ts'
import { readAnswer, refused } from '../support/rest-answer.ts'
import { ids, settle, stateOf } from '../support/small-network.ts'

let app: TestApp
let ada: string
let bob: string

beforeAll(async () => {
  app = await startApp()
})
beforeEach(async () => {
  await settle(app.database)
  ada = await app.token({ id: ids.ada, username: 'Ada', token: '' }, scopes)
  bob = await app.token({ id: ids.bob, username: 'bob', token: '' }, scopes)
})
afterAll(() => app.close())

const call = async (bearer: string, method: string, path: string, body?: unknown) =>
  readAnswer(await app.rest(bearer, method, path, body))

describe('a like', () => {
  test('of a post alternates, also for its own author', async () => {
    const actions: unknown[] = []
    for (const _ of [1, 2, 3]) actions.push((await call(ada, 'POST', `/post/${ids.adaPost}/like`)).body)
    const answer = (action: string) => ({ action, uuid: ids.adaPost })
    expect(actions).toEqual([answer('liked'), answer('unliked'), answer('liked')])
    const liked = { ...posts.adaPost, like_count: 2, has_liked: true }
    expect((await call(ada, 'GET', `/post/${ids.adaPost}`)).body).toEqual(liked)
    expect((await call(bob, 'GET', `/post/${ids.adaPost}`)).body).toEqual(liked)
  })

  test('of a reply is the same on either path', async () => {
    expect((await call(bob, 'PUT', `/like/${ids.bobReply}`)).body).toEqual({ _message: 'liked' })
    const unliked = { action: 'unliked', uuid: ids.bobReply }
    expect((await call(bob, 'POST', `/post/${ids.bobReply}/like`)).body).toEqual(unliked)
    expect((await call(bob, 'PUT', `/like/${ids.bobReply}`)).body).toEqual({ _message: 'liked' })
    expect((await call(bob, 'PUT', `/like/${ids.bobReply}`)).body).toEqual({ _message: 'unliked' })
  })

  test('is specific to the viewer', async () => {
    await call(bob, 'PUT', `/like/${ids.bobReply}`)
    expect(await call(bob, 'GET', `/post/${ids.bobReply}`)).toMatchObject({ body: { like_count: 1, has_liked: true } })
    expect(await call(ada, 'GET', `/post/${ids.bobReply}`)).toMatchObject({ body: { like_count: 1, has_liked: false } })
  })

  test('toggled concurrently has the same result as one after the other', async () => {
    const answers = await Promise.all(Array.from({ length: 21 }, () => call(ada, 'PUT', `/like/${ids.bobReply}`)))
    const liked = answers.filter(({ body }) => JSON.stringify(body) === '{"_message":"liked"}')
    const unliked = answers.filter(({ body }) => JSON.stringify(body) === '{"_message":"unliked"}')
    expect([liked.length, unliked.length]).toEqual([11, 10])
    expect(await wrongCounters(app.database)).toEqual([])
  })
})

describe('a follow', () => {
  test.each([ids.bob, '@bob', '@BOB', ids.bob.toUpperCase()])('of %s alternates', async (name) => {
    const follow = () => call(ada, 'POST', `/user/${name}/follow`)
    expect((await follow()).body).toEqual({ action: 'followed', uuid: ids.bob })
    const followed = { ...users.bob, follow_count: 1, has_followed: true }
    expect((await call(ada, 'GET', '/user/@bob')).body).toEqual(followed)
    expect(await call(ada, 'GET', '/user')).toMatchObject({ body: { following_count: 2 } })
    expect((await call(ada, 'GET', '/user/@ada/following')).body).toEqual({ following: [followed, users.cyd] })
    expect((await follow()).body).toEqual({ action: 'unfollowed', uuid: ids.bob })
    expect((await call(ada, 'GET', '/user/@bob')).body).toEqual(users.bob)
    expect((await call(ada, 'GET', '/user')).body).toEqual(users.ada)
  })

  test('that is renewed is the most recent', async () => {
    await call(bob, 'POST', '/user/@ada/follow')
    await call(bob, 'POST', '/user/@ada/follow')
    expect((await call(ada, 'GET', '/user/@ada/followers')).body).toEqual({ followers: [users.bob, users.cyd] })
  })

  test.each([ids.ada, ids.ada.toUpperCase(), '@ada', '@ADA'])('of oneself, as %s, is refused', async (name) => {
    const before = await stateOf(app.database)
    const answer = await call(ada, 'POST', `/user/${name}/follow`)
    expect(answer).toEqual(refused('V26.07.22', 'VALIDATION_FAILED', { fields: ['uuid'] }))
    expect(await stateOf(app.database)).toEqual(before)
  })

  test('toggled concurrently by two users has the same result as one after the other', async () => {
    const both = Array.from({ length: 9 }, () => [
      call(ada, 'POST', '/user/@bob/follow'),
      call(bob, 'POST', '/user/@ada/follow'),
    ])
    const answers = await Promise.all(both.flat())
    expect(answers.every(({ status }) => status === 200)).toBe(true)
    expect(await wrongCounters(app.database)).toEqual([])
    expect(await call(ada, 'GET', '/user/@bob')).toMatchObject({ body: { has_followed: true } })
    expect(await call(bob, 'GET', '/user/@ada')).toMatchObject({ body: { has_followed: false } })
  })
})
