import { afterAll, beforeAll, expect, test } from 'vitest'
import { deleteAccount, type Erased } from '../../src/domain/account-deletion.ts'
import { removeErasedLikes } from '../../src/domain/erasure.ts'
import { staleness } from '../../src/domain/sessions.ts'
import { type Person, startApp, type TestApp } from '../support/app.ts'
import { wrongCounters } from '../support/counters.ts'
import { publish } from '../support/publish.ts'

const crowd = 1_100

let app: TestApp
let ada: Person
beforeAll(async () => {
  app = await startApp()
  ada = await app.person('ada')
})
afterAll(() => app.close())

/** Has a crowd like a publication. */
async function likeByCrowd(publication: string): Promise<void> {
  const { prisma } = app.database.write
  await prisma.$executeRaw`
    insert into users (id, username, display_name, email)
    select gen_random_uuid(), name, name, name || '@example.org' from (
      select 'crowd_' || substr(md5(${publication} || n), 1, 20) as name from generate_series(1, ${crowd}::int) n) names`
  await prisma.$executeRaw`
    insert into likes (id, publication_id, user_id)
    select gen_random_uuid(), ${publication}::uuid, id from users
    where username in (select 'crowd_' || substr(md5(${publication} || n), 1, 20) from generate_series(1, ${crowd}::int) n)`
  await prisma.$executeRaw`
    update publications set like_count = like_count + ${crowd}::int where id = ${publication}::uuid`
}

async function like({ token }: Person, publication: string): Promise<void> {
  expect((await app.rest(token, 'POST', `/post/${publication}/like`)).status).toBe(200)
}

/** Deletes an account that was suspended a while ago, so that nothing has to wait until other processes know it. */
async function deleteSuspended({ id }: Person): Promise<Erased> {
  const suspendedAt = new Date(Date.now() - staleness)
  await app.database.write.prisma.user.update({ where: { id }, data: { suspendedAt } })
  return deleteAccount(app.database, id)
}

const likesOf = (publicationId: string) => app.database.write.prisma.like.count({ where: { publicationId } })
const viewerLikes = '{ viewer { likes(first: 10) { nodes { uuid } } } }'

test('a post with thousands of likes is gone at once, and its likes are removed in parts', async () => {
  const bob = await app.person('bob')
  const [popular, other] = [await publish(app, ada), await publish(app, ada)]
  for (const post of [popular, other]) await like(bob, post)
  await likeByCrowd(popular)

  expect((await app.rest(ada.token, 'DELETE', `/post/${popular}`)).status).toBe(200)
  expect(await likesOf(popular)).toBe(crowd + 1)
  expect((await app.rest(bob.token, 'GET', `/post/${popular}`)).status).toBe(404)
  expect((await app.graphql(bob.token, viewerLikes)).data).toEqual({ viewer: { likes: { nodes: [{ uuid: other }] } } })
  expect(await wrongCounters(app.database)).toEqual([])

  await removeErasedLikes(app.database)
  expect(await likesOf(popular)).toBe(0)
  expect(await likesOf(other)).toBe(1)
  expect(await app.database.write.prisma.likeErasure.count()).toBe(0)
})

test('an account with several popular posts, who liked a deleted one, is deleted with all likes', async () => {
  const carol = await app.person('carol')
  const popular = await publish(app, ada)
  await like(carol, popular)
  await likeByCrowd(popular)
  await app.rest(ada.token, 'DELETE', `/post/${popular}`)
  const posts = [await publish(app, carol), await publish(app, carol)]
  for (const post of posts) await likeByCrowd(post)
  expect(await deleteSuspended(carol)).toEqual({ publications: 2, likes: 1, follows: 0 })
  expect(await Promise.all([popular, ...posts].map(likesOf))).toEqual([0, 0, 0])
  expect(await wrongCounters(app.database)).toEqual([])
})
