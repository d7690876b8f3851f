import { afterAll, beforeAll, expect, test } from 'vitest'
import { blocks, follows, maxFollowing, mutes } from '../../../src/features/base/relations.ts'
import { type Person, startApp, type TestApp } from '../../support/app.ts'
import { wrongCounters } from '../../support/database/counters.ts'
import { outcomeOf, outcomes } from '../../support/graphql/outcomes.ts'
import { people } from '../../support/graphql/publish.ts'
import { setRelation, toggleRelation } from '../../support/graphql/relations.ts'

let app: TestApp
beforeAll(async () => {
  app = await startApp()
  await app.database.write.prisma.$executeRaw`
    insert into users (id, username, display_name, email)
    select gen_random_uuid(), 'crowd_' || n, 'Crowd', 'crowd@example.org' from generate_series(1, ${maxFollowing}) n`
})
afterAll(() => app.close())

/** A new account that follows this many of the crowd. */
async function follower(count: number): Promise<Person> {
  const person = await app.person()
  await app.database.write.prisma.$transaction(async (transaction) => {
    await transaction.$executeRaw`
      insert into follows (id, follower_id, followee_id)
      select gen_random_uuid(), ${person.id}::uuid, id from users where username like 'crowd_%' limit ${count}`
    await transaction.$executeRaw`update users set following_count = ${count} where id = ${person.id}::uuid`
    await transaction.$executeRaw`
      update users set follower_count = follower_count + 1
      where id in (select followee_id from follows where follower_id = ${person.id}::uuid)`
  })
  return person
}

const toggle = (person: Person, { id }: Pick<Person, 'id'>) => toggleRelation(app, person, follows, id)
const set = (person: Person, { id }: Pick<Person, 'id'>, followed: boolean) =>
  setRelation(app, person, follows, id, followed)
const following = async ({ id }: Person) =>
  (await app.database.write.prisma.user.findUniqueOrThrow({ where: { id } })).followingCount
const someone = async ({ id: followerId }: Person) => {
  const { followeeId: id } = await app.database.write.prisma.follow.findFirstOrThrow({ where: { followerId } })
  return { id }
}

test('an account can follow at most 10,000 others, even concurrently', async () => {
  expect(maxFollowing).toBe(10_000)
  const ada = await follower(maxFollowing - 2)
  const others = await people(app, 10)
  const answers = others.map((other, nth) => (nth % 2 === 0 ? toggle(ada, other) : set(ada, other, true)))
  expect(await outcomes(answers)).toEqual({ FOLLOWED: 2, CONFLICT: 8 })
  expect(await following(ada)).toBe(maxFollowing)
  expect(await wrongCounters(app.database)).toEqual([])
})

test('at the limit, unfollowing frees a place', async () => {
  const [ada, [one, other]] = [await follower(maxFollowing), await people(app, 2)]
  if (!one || !other) throw new TypeError('There is nobody')
  const refused = await app.rest(ada.token, 'POST', `/user/${one.id}/follow`)
  expect([refused.status, await refused.json()]).toMatchObject([409, { code: 'CONFLICT' }])

  const followed = await someone(ada)
  expect(outcomeOf(await set(ada, followed, true))).toBe('FOLLOWED')
  expect(outcomeOf(await set(ada, one, false))).toBe('UNFOLLOWED')
  expect(await following(ada)).toBe(maxFollowing)
  expect(outcomeOf(await toggle(ada, followed))).toBe('UNFOLLOWED')
  expect(outcomeOf(await set(ada, one, true))).toBe('FOLLOWED')
  expect(outcomeOf(await set(ada, other, true))).toBe('CONFLICT')
  expect(await wrongCounters(app.database)).toEqual([])
})

test('an account can block as many, even concurrently', async () => {
  const [ada, others] = [await app.person(), await people(app, 6)]
  // Several statements, because each has a time limit.
  for (let made = 0; made < maxFollowing - 2; made += 2_000)
    await app.database.write.prisma.$executeRaw`
      insert into blocks (id, blocker_id, blocked_id)
      select gen_random_uuid(), ${ada.id}::uuid, id from users where username like 'crowd_%'
      order by id offset ${made} limit ${Math.min(2_000, maxFollowing - 2 - made)}`
  expect(await outcomes(others.map(({ id }) => setRelation(app, ada, blocks, id)))).toEqual({ BLOCKED: 2, CONFLICT: 4 })
})

test('an account can mute as many, besides mutes that have ended', async () => {
  const [ada, others] = [await app.person(), await people(app, 6)]
  await app.database.write.prisma.$executeRaw`
    insert into mutes (id, muter_id, muted_id, until)
    select gen_random_uuid(), ${ada.id}::uuid, id, case when row_number() over () <= 2 then now() end
    from users where username like 'crowd_%' limit ${maxFollowing}`
  expect(await outcomes(others.map(({ id }) => setRelation(app, ada, mutes, id)))).toEqual({ MUTED: 2, CONFLICT: 4 })
})
