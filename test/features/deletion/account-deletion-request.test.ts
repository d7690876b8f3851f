import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { z } from 'zod'
import { staleness } from '../../../src/engine/auth/viewers.ts'
import { issueTokenTo } from '../../../src/features/accounts/administration.ts'
import { requestAccountDeletion } from '../../../src/features/accounts/deletion-request.ts'
import { bookmarks, follows, likes } from '../../../src/features/base/relations.ts'
import { continueAccountDeletion } from '../../../src/features/deletion/deletion.ts'
import { setSuspended } from '../../../src/features/moderation/suspensions.ts'
import { type Person, sharing, startApp, type TestApp } from '../../support/app.ts'
import { wrongCounters } from '../../support/database/counters.ts'
import { mutate } from '../../support/graphql/mutate.ts'
import { notificationsOf, wrongNotifications } from '../../support/graphql/notifications.ts'
import { outcomeOf } from '../../support/graphql/outcomes.ts'
import { publish } from '../../support/graphql/publish.ts'
import { setRelation } from '../../support/graphql/relations.ts'
import { password, personOf, signIn, signUp } from '../../support/graphql/sign-in.ts'
import { askForExport, received } from '../../support/rest/exports.ts'

/** Deletes accounts at once, and with a delay of a month. */
let app: TestApp
let patient: TestApp
let ada: Person
let eve: Person
let post: string
let hers: string
let round = 0
beforeAll(async () => {
  app = await startApp({ deletionDelay: 0 })
  patient = await startApp({ deletionDelay: 30 }, sharing(app))
})
afterAll(async () => {
  await patient.close()
  await app.close()
})
beforeEach(async () => {
  round += 1
  ada = await app.person(`ada_${round}`)
  eve = personOf(await signUp(app, { username: `eve_${round}` }))
  post = await publish(app, ada, { content: `Hello @eve_${round}` })
  hers = await publish(app, eve, { content: `Leaving ${round} #town${round}` })
  await publish(app, eve, { content: `Yes ${round}`, parent: post })
  await publish(app, ada, { content: 'Stay', parent: hers })
  for (const [from, relation, to] of [
    [eve, likes, post],
    [ada, likes, hers],
    [ada, bookmarks, hers],
    [eve, follows, ada.id],
    [ada, follows, eve.id],
  ] as const)
    await setRelation(app, from, relation, to)
})

const deleteAccount = (from: TestApp, secret = password) =>
  mutate(from, eve, 'deleteAccount', { password: secret }, 'finalAt')

/** Everything that the others find of her. */
async function found(server: TestApp): Promise<unknown> {
  const { data, errors } = await server.graphql(
    ada.token,
    `query ($uuid: UUID!, $post: UUID!, $name: String!, $tag: String!) {
      user(by: { uuid: $uuid }) { username }
      named: user(by: { username: $name }) { username }
      post(uuid: $post) { content }
      publications(uuids: [$post]) { content }
      homeTimeline(first: 5) { nodes { content } }
      publicTimeline(first: 5) { nodes { content author { username } } }
      searchUsers(text: $name) { username }
      searchPublications(text: "Leaving") { nodes { content } }
      hashtag(name: $tag) { publications { nodes { content } } }
      viewer {
        followers(first: 5) { nodes { username } }
        following(first: 5, offset: 0) { nodes { username } }
        likes(first: 5) { nodes { content } }
        bookmarks(first: 5, offset: 0) { nodes { content } }
        posts(first: 1) {
          nodes {
            mentions { user { username } }
            likers(first: 5) { nodes { username } }
            replies(first: 5) { nodes { content } }
            thread { nodes { content } places { uuid } }
          }
        }
      }
    }`,
    { uuid: eve.id, post: hers, name: eve.username, tag: `town${round}` },
  )
  expect(errors).toEqual([])
  return data
}

const traces = async (server: TestApp) =>
  JSON.stringify(await found(server)).match(new RegExp(`(?<!@)eve_${round}"|Leaving ${round}|Yes ${round}`, 'g')) ?? []

/** Erases everything at once, as the job does later. */
async function erase(): Promise<void> {
  const since = new Date(Date.now() - staleness)
  await app.database.write.prisma.accountDeletion.updateMany({ where: { userId: eve.id }, data: { since } })
  expect(await continueAccountDeletion(app.database, eve.id)).toBe(undefined)
}

const outcomeOfMutation = async (server: TestApp, ...request: [string, object, string]) =>
  outcomeOf(await mutate(server, ada, ...request))

test.each(['now', 'later'])('a deleted account is hidden at once, whether the deletion is final %s', async (when) => {
  const [server, days] = when === 'later' ? [patient, 30] : [app, 0]
  expect((await traces(server)).length).toBeGreaterThan(15)
  const { errors, data } = await deleteAccount(server)
  expect(errors).toEqual([])
  const { finalAt } = z.object({ deleteAccount: z.object({ finalAt: z.coerce.date() }) }).parse(data).deleteAccount
  expect((finalAt.getTime() - Date.now()) / 86_400_000).toBeCloseTo(days, 2)

  expect(await traces(server)).toEqual([])
  for (const path of [`/user/${eve.id}`, `/user/@${eve.username}/posts`, `/post/${hers}`])
    expect((await server.rest(ada.token, 'GET', path)).status).toBe(404)
  expect(outcomeOf(await server.graphql(eve.token, '{ viewer { uuid } }'))).toBe('UNAUTHENTICATED')
  for (const [mutation, input] of [
    ['setLike', { uuid: hers, liked: true }],
    ['setBookmark', { uuid: hers, bookmarked: true }],
    ['setFollow', { uuid: eve.id, followed: true }],
    ['setMute', { uuid: eve.id, muted: true }],
    ['setBlock', { uuid: eve.id, blocked: true }],
  ] as const)
    expect(await outcomeOfMutation(server, mutation, input, 'action')).toBe('NOT_FOUND')
  const reply = { content: 'Still?', parent: hers }
  expect(await outcomeOfMutation(server, 'sendPost', reply, 'publication { uuid }')).toBe('NOT_FOUND')
  const spam = { uuid: eve.id, reason: 'SPAM' }
  expect(await outcomeOfMutation(server, 'report', spam, 'report { uuid }')).toBe('NOT_FOUND')
  expect(outcomeOf(await signUp(server, { username: eve.username }))).toBe('CONFLICT')

  await erase()
  expect(outcomeOf(await signIn(server, eve.username))).toBe('INVALID_CREDENTIALS')
  expect(await traces(server)).toEqual([])
  expect(await app.database.write.prisma.job.count({ where: { kind: 'delete-account' } })).toBe(0)
  expect([...(await wrongCounters(app.database)), ...(await wrongNotifications(app.database))]).toEqual([])
  expect(outcomeOf(await signUp(server, { username: eve.username }))).toBe('DONE')
})

test('a suspended account is hidden at once by every process, but not from moderators, and returns as it was', async () => {
  const before = await found(patient)
  await setSuspended(app.database, 'operator', { uuid: eve.id }, true)
  expect(await traces(app)).toEqual([])
  expect(await traces(patient)).toEqual([])
  expect(await outcomeOfMutation(app, 'setLike', { uuid: hers, liked: true }, 'action')).toBe('NOT_FOUND')
  const moderates = await app.token(await app.person(), ['moderation.manage', 'user.get', 'post.get'])
  const { data } = await app.graphql(moderates, `{ post(uuid: "${hers}") { author { username } } }`)
  expect(data).toEqual({ post: { author: { username: eve.username } } })

  await setSuspended(app.database, 'operator', { uuid: eve.id }, false)
  expect(await found(patient)).toEqual(before)
})

test('an account that is suspended and being deleted is hidden until both have ended', async () => {
  await deleteAccount(patient)
  await setSuspended(app.database, 'operator', { uuid: eve.id }, true)
  await setSuspended(app.database, 'operator', { uuid: eve.id }, false)
  expect(await traces(app)).toEqual([])
  expect(outcomeOf(await signIn(patient, eve.username))).toBe('DONE')
  expect((await traces(app)).length).toBeGreaterThan(15)
})

test('without the right password, nothing changes', async () => {
  expect(outcomeOf(await deleteAccount(app, 'wrong password'))).toBe('VALIDATION_FAILED')
  expect((await traces(app)).length).toBeGreaterThan(15)
})

test('signing in cancels a deletion until it is final, and restores everything', async () => {
  const before = await found(patient)
  expect(outcomeOf(await deleteAccount(patient))).toBe('DONE')
  expect(outcomeOf(await signIn(patient, eve.username, 'wrong password'))).toBe('INVALID_CREDENTIALS')
  expect(await traces(patient)).toEqual([])
  eve = personOf(await signIn(patient, eve.username))
  expect(await found(patient)).toEqual(before)
  expect(await continueAccountDeletion(app.database, eve.id)).toBe(undefined)
  expect(await found(patient)).toEqual(before)
})

test('an export names no account that leaves', async () => {
  const exported = async () => {
    const { text } = await received(await askForExport(patient, ada))
    return text.split('\n').filter((line) => /"type":"(?:like|bookmark|follow)"/.test(line))
  }
  expect(await exported()).toMatchObject([hers, hers, eve.id].map((uuid) => expect.stringContaining(uuid)))
  await deleteAccount(patient)
  expect(await exported()).toEqual([])
})

test('an account that leaves gets no token by a command', async () => {
  await deleteAccount(patient)
  const command = issueTokenTo(app.database, { userId: eve.id, name: 'Backup', expiresAt: null })
  await expect(command).rejects.toMatchObject({ code: 'CONFLICT' })
})

test('a command ends the wait of a deletion, and a server goes on within minutes', async () => {
  await deleteAccount(patient)
  const { prisma } = app.database.write
  await prisma.$transaction((transaction) => requestAccountDeletion(transaction, eve.id, { days: 0, inSeconds: 600 }))
  const where = { kind_key: { kind: 'delete-account', key: eve.id } }
  const { dueAt } = await prisma.job.findUniqueOrThrow({ where })
  expect(dueAt.getTime() - Date.now()).toBeLessThan(601_000)
})

test('signing in does not cancel a deletion that is final', async () => {
  expect(outcomeOf(await deleteAccount(app))).toBe('DONE')
  expect(outcomeOf(await signIn(app, eve.username))).toBe('INVALID_CREDENTIALS')
})

test('of a sign-in and the start of a deletion at the same time, one wins', async () => {
  const outcomes: string[] = []
  for (let attempt = 0; attempt < 6; attempt += 1) {
    const person = personOf(await signUp(app, { username: `race_${round}_${attempt}` }))
    await mutate(patient, person, 'deleteAccount', { password }, 'finalAt')
    await app.database.write.prisma.accountDeletion.updateMany({ data: { since: new Date(Date.now() - staleness) } })
    const [signedIn] = await Promise.all([
      signIn(patient, person.username),
      new Promise((resolve) => setImmediate(resolve)).then(() => continueAccountDeletion(app.database, person.id)),
    ])
    const remains = await app.database.write.prisma.user.count({ where: { id: person.id } })
    outcomes.push(`${outcomeOf(signedIn)} ${remains}`)
  }
  expect(outcomes.filter((it) => it !== 'DONE 1' && it !== 'INVALID_CREDENTIALS 0')).toEqual([])
})

test('nobody is notified of what the account does while another process still accepts its token', async () => {
  const elsewhere = await startApp({}, sharing(app))
  const own = await publish(app, ada)
  expect(outcomeOf(await elsewhere.graphql(eve.token, '{ viewer { uuid } }'))).toBe('DONE')
  await deleteAccount(patient)
  expect(outcomeOf(await setRelation(elsewhere, eve, likes, own))).toBe('LIKED')
  const reply = { content: `Bye @${ada.username}`, parent: own }
  expect(outcomeOf(await mutate(elsewhere, eve, 'sendPost', reply, '__typename'))).toBe('DONE')
  expect(await notificationsOf(app, ada)).toEqual([])
  await elsewhere.close()
})

test('notifications from the account disappear, and its deletion resumes after a part', async () => {
  for (let count = 0; count < 3; count += 1) await publish(app, eve, { content: `More @${ada.username}` })
  expect((await notificationsOf(app, ada)).length).toBeGreaterThan(3)
  expect(outcomeOf(await deleteAccount(app))).toBe('DONE')
  // Other processes may still accept her tokens.
  expect(await continueAccountDeletion(app.database, eve.id)).toBeGreaterThan(0)
  expect(await notificationsOf(app, ada)).toEqual([])
  await erase()
  expect(await app.database.write.prisma.user.count({ where: { id: eve.id } })).toBe(0)
})
