import { afterAll, beforeAll, expect, test } from 'vitest'
import { relationsTo } from '../../../src/features/base/relations.ts'
import { removeRelationsOfDeleted } from '../../../src/features/posts/deletion.ts'
import { type Person, startApp, type TestApp } from '../../support/app.ts'
import { wrongCounters } from '../../support/database/counters.ts'
import { mutate } from '../../support/graphql/mutate.ts'
import { publish } from '../../support/graphql/publish.ts'
import { setRelation } from '../../support/graphql/relations.ts'
import { deleteSuspended } from '../../support/networks/delete-suspended.ts'

let app: TestApp
let ada: Person
let grace: Person
beforeAll(async () => {
  app = await startApp()
  ada = await app.person('ada')
  grace = await app.person('grace')
})
afterAll(() => app.close())

const run = async (person: Person, document: string, variables: Record<string, unknown> = {}) => {
  const { data, errors } = await app.graphql(person.token, document, variables)
  expect(errors).toEqual([])
  return data
}
const remove = (person: Person, uuid: string) => mutate(app, person, 'deletePost', { uuid }, 'publication { uuid }')
const like = (person: Person, uuid: string) => mutate(app, person, 'toggleLike', { uuid }, 'action')
test('a deletion returns the previous state, including nested objects', async () => {
  const root = await publish(app, grace, { content: 'Root' })
  const uuid = await publish(app, ada, { content: 'Middle', parent: root, locked: true })
  await publish(app, ada, { content: 'Leaf', parent: uuid })
  await like(grace, uuid)
  await like(ada, uuid)
  const data = await run(
    ada,
    `mutation ($uuid: UUID!) {
      gone: deleteReply(input: { uuid: $uuid }) {
        reply {
          __typename uuid content locked likeCount viewerHasLiked replyCount parentUuid
          parent { content replyCount author { username } }
          author { username }
          replies(first: 5) { totalCount nodes { content parent { content } } }
        }
        again: reply { content }
      }
    }`,
    { uuid },
  )
  expect(data).toEqual({
    gone: {
      reply: {
        __typename: 'Reply',
        uuid,
        content: 'Middle',
        locked: true,
        likeCount: 2,
        viewerHasLiked: true,
        replyCount: 1,
        parentUuid: root,
        parent: { content: 'Root', replyCount: 1, author: { username: 'grace' } },
        author: { username: 'ada' },
        replies: { totalCount: 1, nodes: [{ content: 'Leaf', parent: { content: 'Middle' } }] },
      },
      again: { content: 'Middle' },
    },
  })
})

test('a deleted row remains without its texts and relations', async () => {
  const { prisma } = app.database.write
  const parent = await publish(app, grace)
  const uuid = await publish(app, ada, { parent, content: 'A secret', warning: 'Secret', language: 'en' })
  const texts = () => prisma.$queryRaw<{ name: string; text: string | null }[]>`
    select name, text from publications p, jsonb_each_text(to_jsonb(p)) as columns (name, text)
    join pg_attribute on attrelid = 'publications'::regclass and attname = name and atttypid in ('text'::regtype, 'tsvector'::regtype)
    where p.id = ${uuid}::uuid order by name`
  const isEmpty = ({ text }: { text: string | null }) => (text ?? '') === ''
  expect((await texts()).filter(isEmpty), 'the publication above needs a value for this column').toEqual([])
  for (const relation of relationsTo('publication')) await setRelation(app, grace, relation, uuid)
  await remove(ada, uuid)
  const row = await prisma.publication.findUniqueOrThrow({ where: { id: uuid } })
  expect(row).toMatchObject({ content: '', likeCount: 0, parentId: parent, deletedAt: expect.any(Date) })
  for (const { table, objectColumn } of relationsTo('publication'))
    expect(await prisma.$queryRawUnsafe(`select from ${table} where ${objectColumn} = '${uuid}'`)).toEqual([])
  expect((await texts()).every(isEmpty)).toBe(true)
  expect(await prisma.publication.findUniqueOrThrow({ where: { id: parent } })).toMatchObject({ replyCount: 0 })
  expect(await wrongCounters(app.database)).toEqual([])
})

test('a deletion whose result cannot be read deletes nothing', async () => {
  const uuid = await publish(app, ada)
  const narrow = await app.token(ada, ['post.get', 'post.delete'])
  const { errors } = await mutate(
    app,
    { token: narrow },
    'deletePost',
    { uuid },
    'publication { replies { totalCount } }',
  )
  expect(errors).toMatchObject([{ extensions: { code: 'INSUFFICIENT_SCOPE' } }])
  expect((await app.rest(ada.token, 'GET', `/post/${uuid}`)).status).toBe(200)
})

const crowd = 1_100

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

const likesOf = (publicationId: string) => app.database.write.prisma.like.count({ where: { publicationId } })
const viewerLikes = '{ viewer { likes(first: 10) { nodes { uuid } } } }'

test('a post with thousands of likes is gone at once, and its likes are removed in parts', async () => {
  const [popular, other] = [await publish(app, ada), await publish(app, ada)]
  for (const post of [popular, other]) await like(grace, post)
  await likeByCrowd(popular)

  expect((await app.rest(ada.token, 'DELETE', `/post/${popular}`)).status).toBe(200)
  expect(await likesOf(popular)).toBe(crowd + 1 - 1_000)
  expect((await app.rest(grace.token, 'GET', `/post/${popular}`)).status).toBe(404)
  expect((await app.graphql(grace.token, viewerLikes)).data).toEqual({
    viewer: { likes: { nodes: [{ uuid: other }] } },
  })
  expect(await wrongCounters(app.database)).toEqual([])

  await removeRelationsOfDeleted(app.database)
  expect(await likesOf(popular)).toBe(0)
  expect(await likesOf(other)).toBe(1)
  expect(await app.database.write.prisma.publicationDeletion.count()).toBe(0)
})

test('an account with several popular posts, who liked a deleted one, is deleted with all likes', async () => {
  const carol = await app.person('carol')
  const popular = await publish(app, ada)
  await like(carol, popular)
  await likeByCrowd(popular)
  await app.rest(ada.token, 'DELETE', `/post/${popular}`)
  const posts = [await publish(app, carol), await publish(app, carol)]
  for (const post of posts) await likeByCrowd(post)
  expect(await deleteSuspended(app, carol)).toMatchObject({ publications: 2, likes: 1, follows: 0 })
  expect(await Promise.all([popular, ...posts].map(likesOf))).toEqual([0, 0, 0])
  expect(await wrongCounters(app.database)).toEqual([])
})
