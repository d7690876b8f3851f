import { afterAll, beforeAll, expect, test } from 'vitest'
import { blocks, follows } from '../../../src/features/base/relations.ts'
import { type Answer, admitting, type Person, sharing, startApp, type TestApp } from '../../support/app.ts'
import { askForToken, makeApplication, makeToken } from '../../support/graphql/access-tokens.ts'
import { moderator } from '../../support/graphql/moderation.ts'
import { mutate } from '../../support/graphql/mutate.ts'
import { publish } from '../../support/graphql/publish.ts'
import { setRelation } from '../../support/graphql/relations.ts'
import { signUp } from '../../support/graphql/sign-in.ts'

let app: TestApp
let ada: Person
let bob: Person
beforeAll(async () => {
  app = await startApp()
  ada = await app.person('ada')
  bob = await app.person('bob')
})
afterAll(() => app.close())

const reasonOf = ({ errors: [error] }: Answer) => {
  expect(error?.extensions.code).toBe('FORBIDDEN')
  return error?.extensions.reason
}

test('each cause of FORBIDDEN has a reason of its own', async () => {
  const post = await publish(app, bob)
  expect(reasonOf(await mutate(app, ada, 'deletePost', { uuid: post }, 'publication { uuid }'))).toBe('NOT_THE_AUTHOR')
  expect(reasonOf(await mutate(app, ada, 'updatePost', { uuid: post, content: 'x' }, 'publication { uuid }'))).toBe(
    'NOT_THE_AUTHOR',
  )

  const own = await makeApplication(app, ada.token)
  const from = { content: 'x', from: own }
  expect(reasonOf(await mutate(app, ada, 'sendPost', from, 'publication { uuid }'))).toBe('OTHER_APPLICATION')
  const scopes = ['USER_GET', 'ACCOUNT_MANAGE']
  const { token } = await makeToken(app, ada.token, { scopes, application: own })
  const application = await makeApplication(app, ada.token)
  expect(reasonOf(await askForToken(app, token, { application }))).toBe('OTHER_APPLICATION')
  const expiresAt = new Date(Date.now() + 3_600_000)
  const short = await app.token(ada, ['account.manage', 'user.get'], { expiresAt })
  const later = new Date(expiresAt.getTime() + 1).toISOString()
  expect(reasonOf(await askForToken(app, short, { expiresAt: later }))).toBe('LONGER_TOKEN')

  const [mo, lee] = [await moderator(app), await moderator(app)]
  expect(reasonOf(await mutate(app, mo, 'suspendUser', { uuid: lee.id, reason: 'Spam' }, 'user { uuid }'))).toBe(
    'MODERATOR',
  )
  expect(reasonOf(await mutate(app, mo, 'appeal', { text: 'Please' }, 'appeal { uuid }'))).toBe('NOT_SUSPENDED')
  expect(reasonOf(await mutate(app, {}, 'requestPasswordReset', { email: 'a@example.org' }, 'email'))).toBe('NO_EMAIL')
  const closed = await startApp(admitting({ signUp: 'closed' }), sharing(app))
  expect(reasonOf(await signUp(closed, { username: 'new' }))).toBe('SIGN_UP_CLOSED')
  await closed.close()
})

test('both APIs say that a block forbids a follow, also when the request is repeated', async () => {
  await setRelation(app, bob, blocks, ada.id)
  expect(reasonOf(await setRelation(app, ada, follows, bob.id))).toBe('BLOCKED')
  for (const _ of [1, 2]) {
    const headers = { 'idempotency-key': 'follow' }
    const response = await app.rest(ada.token, 'POST', `/user/${bob.id}/follow`, undefined, headers)
    expect(await response.json()).toMatchObject({ status: 403, code: 'FORBIDDEN', reason: 'BLOCKED' })
  }
})

test('REST says that a list is private', async () => {
  const response = await app.rest(ada.token, 'GET', `/user/${bob.id}/mutes`)
  expect(await response.json()).toMatchObject({ status: 403, code: 'FORBIDDEN', reason: 'PRIVATE_LIST' })
})

test('the scopes that set blocks and mutes also read them', async () => {
  const token = await app.token(bob, ['user.get', 'user.follow'])
  const { data } = await app.graphql(token, '{ viewer { blocks { nodes { username } } mutes { nodes { uuid } } } }')
  expect(data).toEqual({ viewer: { blocks: { nodes: [{ username: 'ada' }] }, mutes: { nodes: [] } } })
})
