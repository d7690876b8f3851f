import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { errorCodes, forbiddenReasons } from '../../../src/engine/errors.ts'
import { scopes } from '../../../src/features/base/scopes.ts'
import { type Person, startApp, type TestApp } from '../../support/app.ts'
import { outcomeOf } from '../../support/graphql/outcomes.ts'
import { publish } from '../../support/graphql/publish.ts'
import { password, signUp } from '../../support/graphql/sign-in.ts'

let app: TestApp
let ada: Person
let bob: Person
let moderator: string
beforeAll(async () => {
  app = await startApp()
  ada = await app.person('ada')
  bob = await app.person('bob')
  moderator = await app.token(await app.person('moderator'), scopes)
})
afterAll(() => app.close())

test('hashtags, reports and entries of the moderation log are found by their global ids', async () => {
  const uuid = await publish(app, bob, { content: '#rookery' })
  const report = 'mutation ($uuid: UUID!) { report(input: { uuid: $uuid, reason: SPAM }) { report { id } } }'
  await app.graphql(ada.token, report, { uuid })
  await app.graphql(
    moderator,
    'mutation ($uuid: UUID!) { suspendUser(input: { uuid: $uuid, reason: "x" }) { user { id } } }',
    {
      uuid: (await app.person()).id,
    },
  )
  const { data } = await app.graphql(
    moderator,
    '{ hashtag(name: "rookery") { id name } reports(state: OPEN) { nodes { id reason } } moderationLog { nodes { id action } } }',
  )
  const { hashtag, reports, moderationLog } = data as Record<string, { id: string; nodes: { id: string }[] }>
  const all = [hashtag, ...(reports?.nodes ?? []), ...(moderationLog?.nodes ?? [])]
  expect(all).toHaveLength(3)
  const found = await app.graphql(
    moderator,
    'query ($ids: [ID!]!) { nodes(ids: $ids) { id ... on Hashtag { name } ... on Report { reason } ... on ModerationAct { action } } }',
    { ids: all.map((it) => it?.id) },
  )
  expect(found.data).toEqual({ nodes: all })
  const refused = await app.graphql(ada.token, 'query ($id: ID!) { node(id: $id) { id } }', { id: all[1]?.id })
  expect(outcomeOf(refused)).toBe('INSUFFICIENT_SCOPE')
})

test('a follow returns both accounts', async () => {
  const document = `mutation ($uuid: UUID!) {
    setFollow(input: { uuid: $uuid, followed: true }) { user { followerCount } viewer { uuid followingCount } }
  }`
  const { data } = await app.graphql(ada.token, document, { uuid: bob.id })
  expect(data).toEqual({ setFollow: { user: { followerCount: 1 }, viewer: { uuid: ada.id, followingCount: 1 } } })
})

test('the token of a sign-in has the name of its device', async () => {
  await signUp(app, { username: 'carol' })
  const document = 'mutation ($input: SignInInput!) { signIn(input: $input) { accessToken { name } } }'
  const nameOf = async (device?: string | null) =>
    (await app.graphql(undefined, document, { input: { username: 'carol', password, device } })).data
  expect(await nameOf('Phone')).toEqual({ signIn: { accessToken: { name: 'Phone' } } })
  expect(await nameOf()).toEqual({ signIn: { accessToken: { name: 'Sign-in' } } })
  expect(await nameOf('a\nb')).toBeNull()
})

test('a document can select all kinds of errors, so that generated code has their enums', async () => {
  const { data } = await app.graphql(undefined, '{ errorKinds { code reason meaning } }')
  const { FORBIDDEN: _, ...others } = errorCodes
  const reasons = Object.entries(forbiddenReasons).map(([reason, meaning]) => ({ code: 'FORBIDDEN', reason, meaning }))
  const codes = Object.entries(others).map(([code, { meaning }]) => ({ code, reason: null, meaning }))
  expect(data).toEqual({ errorKinds: expect.arrayContaining([...codes, ...reasons]) })
})

test('a repeated write does not return what a block has hidden since', async () => {
  const uuid = await publish(app, bob, { content: 'Secret' })
  const headers = { 'idempotency-key': randomUUID() }
  const send = () => app.rest(ada.token, 'POST', '/post', { content: 'Reply', parent: uuid }, headers)
  expect(await (await send()).text()).toContain('Secret')
  await app.graphql(bob.token, `mutation { setBlock(input: { uuid: "${ada.id}", blocked: true }) { action } }`)
  const repeated = await send()
  expect([repeated.status, (await repeated.text()).includes('Secret')]).toEqual([409, false])
})

test('what an account that is being deleted wrote is not found by edits', async () => {
  const leaver = (await signUp(app, { username: 'leaver' })).data as { signUp: { token: string } }
  const sent = await app.rest(leaver.signUp.token, 'POST', '/post', { content: 'Mine' })
  const { uuid } = await sent.json()
  await app.rest(leaver.signUp.token, 'DELETE', '/user', { password })
  const edited = await app.rest(ada.token, 'PATCH', `/post/${uuid}`, { content: 'Not mine' })
  const deleted = await app.rest(ada.token, 'DELETE', `/post/${uuid}`)
  expect([edited.status, deleted.status]).toEqual([404, 404])
})
