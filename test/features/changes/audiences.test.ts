import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Person, startApp, type TestApp } from '../../support/app.ts'
import { changesAfter, inShort, settledCursor } from '../../support/graphql/changes.ts'
import { moderator } from '../../support/graphql/moderation.ts'
import { mutate } from '../../support/graphql/mutate.ts'
import { publish } from '../../support/graphql/publish.ts'

let app: TestApp
let ada: Person
let bob: Person
let cyd: Person
let eve: Person
let start: string
const uuids: Record<string, string> = {}

const follow = (person: Person, { id: uuid }: Person, followed = true) =>
  mutate(app, person, 'setFollow', { uuid, followed }, 'action')
const read = async (viewer: Person, of: object, after = start) => inShort(await changesAfter(app, viewer, of, after))

// Bob and Cyd follow Ada, who mentions Cyd. Eve follows nobody.
beforeAll(async () => {
  app = await startApp()
  ;[ada, bob, cyd, eve] = [
    await app.person('ada'),
    await app.person('bob'),
    await app.person('cyd'),
    await app.person('eve'),
  ]
  await follow(bob, ada)
  await follow(cyd, ada)
  start = await settledCursor(app, ada)
  uuids.open = await publish(app, ada, { content: 'Open' })
  uuids.followers = await publish(app, ada, { content: 'Followers', audience: 'FOLLOWERS' })
  uuids.addressed = await publish(app, ada, { content: 'To @cyd', audience: 'ADDRESSED' })
  uuids.reply = await publish(app, bob, { content: 'Reply', parent: uuids.followers })
  await mutate(app, bob, 'setLike', { uuid: uuids.followers, liked: true }, 'action')
  await mutate(app, ada, 'updatePost', { uuid: uuids.followers, locked: true }, 'publication { uuid }')
})
afterAll(() => app.close())

const addressed = 'ada PUBLISHED To @cyd'
const forFollowers = ['ada PUBLISHED Followers', 'bob PUBLISHED Reply', 'bob LIKED Followers', 'ada EDITED Followers']
const sources = () => ({
  users: [ada.id, bob.id],
  publications: Object.values(uuids),
  threads: Object.values(uuids),
  repliesTo: Object.values(uuids),
})

describe('the feed has changes of a publication only for its audience', () => {
  test('whatever source selects them', async () => {
    expect(await read(eve, sources())).toEqual(['ada PUBLISHED Open'])
    expect(await read(bob, sources())).toEqual(['ada PUBLISHED Open', ...forFollowers])
    const [first, ...others] = forFollowers
    expect(await read(cyd, sources())).toEqual(['ada PUBLISHED Open', first, addressed, ...others])
    expect(await read(await moderator(app), sources())).toEqual(['ada PUBLISHED Open'])
  })

  test('and as posts of all users only those for everybody', async () => {
    for (const viewer of [ada, bob, eve]) expect(await read(viewer, { public: true })).toEqual(['ada PUBLISHED Open'])
  })

  test('and notifications only of what the viewer can read', async () => {
    const [mentioned] = [await settledCursor(app, ada)]
    await publish(app, bob, { content: 'About @ada', audience: 'FOLLOWERS' })
    await publish(app, bob, { content: 'Secret of @cyd', parent: uuids.open ?? '', audience: 'FOLLOWERS' })
    expect(await read(ada, { notifications: true }, mentioned)).toEqual(['bob NOTIFIED Secret of @cyd'])
    expect(await read(cyd, { notifications: true }, mentioned)).toEqual([])
  })
})

test('followers of a private account are only told of by those who may list them', async () => {
  const after = await settledCursor(app, ada)
  await follow(ada, cyd)
  await app.database.write.prisma.privateAccount.create({ data: { userId: cyd.id } })
  await follow(cyd, bob)
  const restricted = 'cyd RESTRICTED cyd'
  expect(await read(eve, { users: [cyd.id] }, after)).toEqual([restricted])
  expect(await read(ada, { users: [cyd.id] }, after)).toContain('cyd FOLLOWED bob')
  expect(await read(eve, { users: [bob.id] }, after)).toEqual([restricted, 'cyd FOLLOWED bob'])
})

test('who stops following an account stops hearing of what it publishes for followers', async () => {
  const after = await settledCursor(app, ada)
  await publish(app, ada, { content: 'Before', audience: 'FOLLOWERS' })
  await follow(bob, ada, false)
  await publish(app, ada, { content: 'After', audience: 'FOLLOWERS' })
  expect(await read(bob, { home: true, users: [ada.id] }, after)).toEqual(['bob UNFOLLOWED ada'])
})
