import { v7 as newId } from 'uuid'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { staleness } from '../../../src/engine/auth/viewers.ts'
import { maxMentions } from '../../../src/features/base/entities.ts'
import { blocks } from '../../../src/features/base/relations.ts'
import { deleteAccount } from '../../../src/features/deletion/deletion.ts'
import { type Person, startApp, type TestApp } from '../../support/app.ts'
import { wrongCounters } from '../../support/database/counters.ts'
import { mutate } from '../../support/graphql/mutate.ts'
import { publish } from '../../support/graphql/publish.ts'
import { setRelation } from '../../support/graphql/relations.ts'

let app: TestApp
let ada: Person
let bob: Person
let cyd: Person
beforeAll(async () => {
  app = await startApp()
  ada = await app.person('Ada')
  bob = await app.person('bob')
  cyd = await app.person('cyd')
})
afterAll(() => app.close())

const named = z.object({
  mentions: z.array(z.object({ start: z.int(), end: z.int(), user: z.object({ username: z.string() }) })),
  hashtags: z.array(z.object({ start: z.int(), end: z.int(), hashtag: z.object({ name: z.string() }) })),
})
const selection = 'mentions { start end user { username } } hashtags { start end hashtag { name } }'

/** What a publication names, such as `1-4 bob`. */
function inShort(publication: unknown): string[] {
  const { mentions, hashtags } = named.parse(publication)
  return [
    ...mentions.map(({ start, end, user }) => `${start}-${end} ${user.username}`),
    ...hashtags.map(({ start, end, hashtag }) => `${start}-${end} #${hashtag.name}`),
  ]
}

async function namesIn(uuid: string, viewer = ada): Promise<string[]> {
  const { data } = await app.graphql(viewer.token, `{ post(uuid: "${uuid}") { ${selection} } }`)
  return inShort(z.object({ post: z.unknown() }).parse(data).post)
}

async function countOf(name: string): Promise<number | undefined> {
  const { data } = await app.graphql(
    ada.token,
    'query ($name: String!) { hashtag(name: $name) { publicationCount } }',
    {
      name,
    },
  )
  const { hashtag } = z.object({ hashtag: z.object({ publicationCount: z.int() }).nullable() }).parse(data)
  return hashtag?.publicationCount
}

const edit = (uuid: string, change: object) =>
  mutate(app, ada, 'updatePost', { uuid, ...change }, `publication { ${selection} }`)
const changed = z.object({ updatePost: z.object({ publication: z.unknown() }) })

test('a post names accounts and hashtags in code points, each time, in the answer to its sender, too', async () => {
  const { data } = await mutate(
    app,
    ada,
    'sendPost',
    { content: '😀 @BOB and @ada, #Tag #tag @nobody' },
    `publication { ${selection} }`,
  )
  const { sendPost } = z.object({ sendPost: z.object({ publication: z.unknown() }) }).parse(data)
  expect(inShort(sendPost.publication)).toEqual(['2-6 bob', '11-15 Ada', '17-21 #tag', '22-26 #tag'])
  expect(await countOf('#TAG')).toBe(1)
})

test('a reply names accounts and hashtags', async () => {
  const parent = await publish(app, bob)
  const uuid = await publish(app, ada, { content: '@bob #reply', parent })
  expect(await namesIn(uuid)).toEqual(['0-4 bob', '5-11 #reply'])
  expect(await countOf('reply')).toBe(1)
})

test('a post that is sent again under its uuid is counted once', async () => {
  const more = { content: '@bob #again', uuid: newId() }
  for (let time = 0; time < 2; time += 1) expect(await publish(app, ada, more)).toBe(more.uuid)
  expect(await namesIn(more.uuid)).toEqual(['0-4 bob', '5-11 #again'])
  expect(await countOf('again')).toBe(1)
})

test('a mention is of the account, also after it is renamed', async () => {
  const dan = await app.person('dan')
  const uuid = await publish(app, ada, { content: '@dan' })
  await app.database.write.prisma.user.update({ where: { id: dan.id }, data: { username: 'daniel' } })
  expect(await namesIn(uuid)).toEqual(['0-4 daniel'])
})

test(`more than ${maxMentions} mentions are text, and unknown usernames do not count`, async () => {
  const content = `${'@_x '.repeat(10)}${'@bob '.repeat(maxMentions + 5)}`
  const names = await namesIn(await publish(app, ada, { content }))
  expect(names).toHaveLength(maxMentions)
  expect(names.at(0)).toBe('40-44 bob')
})

test('a mention of an account that blocks the author, or is blocked by them, is text', async () => {
  const [eve, fay] = [await app.person('eve'), await app.person('fay')]
  await setRelation(app, eve, blocks, ada.id)
  await setRelation(app, ada, blocks, fay.id)
  expect(await namesIn(await publish(app, ada, { content: '@eve @fay @bob' }))).toEqual(['10-14 bob'])
})

test('a viewer does not see mentions of an account that is hidden from them', async () => {
  const gil = await app.person('gil')
  const uuid = await publish(app, ada, { content: '@gil @bob' })
  await setRelation(app, cyd, blocks, gil.id)
  expect(await namesIn(uuid, cyd)).toEqual(['5-9 bob'])
  expect(await namesIn(uuid, gil)).toEqual(['0-4 gil', '5-9 bob'])
  await setRelation(app, cyd, blocks, gil.id, false)
  expect(await namesIn(uuid, cyd)).toEqual(['0-4 gil', '5-9 bob'])
})

test('an edit replaces what a post names, and a lock does not', async () => {
  const uuid = await publish(app, ada, { content: '@bob #one #two' })
  const { data } = await edit(uuid, { content: '#two, @cyd and @bob #three' })
  const names = ['6-10 cyd', '15-19 bob', '0-4 #two', '20-26 #three']
  expect(inShort(changed.parse(data).updatePost.publication)).toEqual(names)
  await edit(uuid, { locked: true })
  expect(await namesIn(uuid)).toEqual(names)
  expect(await Promise.all(['one', 'two', 'three'].map(countOf))).toEqual([undefined, 1, 1])
  await edit(uuid, { content: 'Nothing' })
  expect(await namesIn(uuid)).toEqual([])
  expect(await Promise.all(['one', 'two', 'three'].map(countOf))).toEqual([undefined, undefined, undefined])
})

test('an edit that moves a mention keeps the other rows', async () => {
  const uuid = await publish(app, ada, { content: '@bob @cyd' })
  const rows = () =>
    app.database.write.prisma.$queryRaw<{ place: string }[]>`
      select ctid::text as place from mentions where publication_id = ${uuid}::uuid order by range_start`
  const [first] = await rows()
  await edit(uuid, { content: '@bob and @cyd' })
  expect((await rows()).at(0)).toEqual(first)
  expect(await namesIn(uuid)).toEqual(['0-4 bob', '9-13 cyd'])
})

test('a deleted post names nothing, and is not counted', async () => {
  const [kept, gone] = [
    await publish(app, ada, { content: '#kept @bob' }),
    await publish(app, ada, { content: '#kept #gone @bob @bob' }),
  ]
  await app.rest(ada.token, 'DELETE', `/post/${gone}`)
  expect(await app.database.write.prisma.mention.count({ where: { publicationId: gone } })).toBe(0)
  expect(await Promise.all(['kept', 'gone'].map(countOf))).toEqual([1, undefined])
  expect(await app.database.write.prisma.hashtag.count({ where: { name: 'gone' } })).toBe(0)
  expect(await namesIn(kept)).toEqual(['6-10 bob', '0-5 #kept'])
  expect(await wrongCounters(app.database)).toEqual([])
})

test('a deleted account is mentioned nowhere, and its hashtags are not counted', async () => {
  const hal = await app.person('hal')
  const mentioning = await publish(app, ada, { content: '@hal @bob' })
  for (let time = 0; time < 3; time += 1) await publish(app, hal, { content: '@ada @hal #hal #all' })
  await publish(app, ada, { content: '#all' })
  const suspendedAt = new Date(Date.now() - staleness)
  await app.database.write.prisma.user.update({ where: { id: hal.id }, data: { suspendedAt } })
  expect(await deleteAccount(app.database, hal.id)).toMatchObject({ publications: 3 })
  expect(await namesIn(mentioning)).toEqual(['5-9 bob'])
  expect(await Promise.all(['hal', 'all'].map(countOf))).toEqual([undefined, 1])
  expect(await wrongCounters(app.database)).toEqual([])
})
