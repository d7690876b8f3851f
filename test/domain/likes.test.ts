import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { type Person, startApp, type TestApp } from '../support/app.ts'
import { wrongCounters } from '../support/counters.ts'
import { heldUp } from '../support/held-up.ts'
import { outcomeOf, outcomes, tally } from '../support/outcomes.ts'
import { people, publish } from '../support/publish.ts'

let app: TestApp
let ada: Person
let crowd: Person[]
beforeAll(async () => {
  app = await startApp()
  ada = await app.person()
  crowd = await people(app, 50)
})
afterAll(() => app.close())

const toggle = ({ token }: Person, uuid: string) =>
  app.graphql(token, 'mutation ($uuid: UUID!) { toggleLike(input: { uuid: $uuid }) { action } }', { uuid })
const toggleReply = ({ token }: Person, uuid: string) =>
  app.graphql(
    token,
    'mutation ($uuid: UUID!) { toggleReplyLike(input: { uuid: $uuid }) { action reply { uuid viewerHasLiked } } }',
    { uuid },
  )
const set = ({ token }: Person, uuid: string, liked: boolean) =>
  app.graphql(
    token,
    'mutation ($input: SetLikeInput!) { setLike(input: $input) { action publication { viewerHasLiked } } }',
    { input: { uuid, liked } },
  )
const read = async ({ token }: Person, uuid: string) =>
  (await app.graphql(token, 'query ($uuid: UUID!) { post(uuid: $uuid) { likeCount viewerHasLiked } }', { uuid })).data
const times = <T>(count: number, action: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => action(index))

test('fifty concurrent likes give fifty likes', async () => {
  const uuid = await publish(app, ada)
  expect(await outcomes(crowd.map((viewer) => toggle(viewer, uuid)))).toEqual({ LIKED: 50 })
  expect(await read(ada, uuid)).toEqual({ post: { likeCount: 50, viewerHasLiked: false } })
  for (const viewer of crowd.slice(0, 3)) {
    expect(await read(viewer, uuid)).toEqual({ post: { likeCount: 50, viewerHasLiked: true } })
  }
  expect(await wrongCounters(app.database)).toEqual([])
})

test('51 concurrent toggles of one viewer give 26 likes and 25 unlikes, ending with a like', async () => {
  const uuid = await publish(app, ada)
  expect(await outcomes(times(51, () => toggle(ada, uuid)))).toEqual({ LIKED: 26, UNLIKED: 25 })
  expect(await read(ada, uuid)).toEqual({ post: { likeCount: 1, viewerHasLiked: true } })
  expect(await wrongCounters(app.database)).toEqual([])
})

test('both APIs toggle the same state', async () => {
  const uuid = await publish(app, ada, { parent: await publish(app, ada) })
  const ways = [
    async () => outcomeOf(await toggle(ada, uuid)),
    async () => {
      const response = await app.rest(ada.token, 'POST', `/post/${uuid}/like`)
      return z.strictObject({ action: z.string(), uuid: z.literal(uuid) }).parse(await response.json()).action
    },
    async () => {
      const response = await app.rest(ada.token, 'PUT', `/like/${uuid}`)
      return z.strictObject({ _message: z.string() }).parse(await response.json())._message
    },
  ]
  const actions = await Promise.all(ways.flatMap((way) => times(17, way)))
  expect(tally(actions.map((action) => action.toUpperCase()))).toEqual({ LIKED: 26, UNLIKED: 25 })
  expect(await read(ada, uuid)).toEqual({ post: { likeCount: 1, viewerHasLiked: true } })
})

test('the toggle of replies likes and unlikes a reply, and finds no post', async () => {
  const post = await publish(app, ada)
  const uuid = await publish(app, ada, { parent: post })
  for (const [action, viewerHasLiked] of [
    ['LIKED', true],
    ['UNLIKED', false],
  ] as const) {
    expect((await toggleReply(ada, uuid)).data).toEqual({
      toggleReplyLike: { action, reply: { uuid, viewerHasLiked } },
    })
  }
  expect(outcomeOf(await toggleReply(ada, post))).toBe('NOT_FOUND')
  expect(await read(ada, post)).toEqual({ post: { likeCount: 0, viewerHasLiked: false } })
})

test('setting a like is idempotent, even concurrently', async () => {
  const uuid = await publish(app, ada)
  const grace = await app.person()
  for (const [liked, action, likeCount] of [
    [false, 'UNLIKED', 0],
    [true, 'LIKED', 1],
    [false, 'UNLIKED', 0],
  ] as const) {
    const answers = await Promise.all(times(20, () => set(grace, uuid, liked)))
    for (const { data } of answers)
      expect(data).toEqual({ setLike: { action, publication: { viewerHasLiked: liked } } })
    expect(await read(ada, uuid)).toEqual({ post: { likeCount, viewerHasLiked: false } })
  }
  expect(await wrongCounters(app.database)).toEqual([])
})

test('concurrent likes and unlikes match their responses', async () => {
  const uuid = await publish(app, ada)
  const before = crowd.slice(0, 25)
  await outcomes(before.map((viewer) => set(viewer, uuid, true)))
  const all = crowd.map((viewer) => set(viewer, uuid, !before.includes(viewer)))
  expect(await outcomes(all)).toEqual({ LIKED: 25, UNLIKED: 25 })
  expect(await read(ada, uuid)).toEqual({ post: { likeCount: 25, viewerHasLiked: false } })
  expect(await wrongCounters(app.database)).toEqual([])
})

test('no like survives a concurrent deletion', async () => {
  const snapshot = z.object({ deletePost: z.object({ publication: z.object({ likeCount: z.int() }) }) })
  for (const liking of [4, 8, 12, 16]) {
    const uuid = await publish(app, ada)
    const early = crowd.slice(0, liking).map((viewer) => toggle(viewer, uuid))
    const deletion = app.graphql(
      ada.token,
      'mutation ($uuid: UUID!) { deletePost(input: { uuid: $uuid }) { publication { likeCount } } }',
      { uuid },
    )
    const late = crowd.slice(liking, 20).map((viewer) => toggle(viewer, uuid))
    const { LIKED = 0, NOT_FOUND = 0, ...others } = await outcomes([...early, ...late])
    expect(others).toEqual({})
    expect(LIKED + NOT_FOUND).toBe(20)
    // The deleted publication had exactly the acknowledged likes: none came afterwards.
    expect(snapshot.parse((await deletion).data).deletePost.publication.likeCount).toBe(LIKED)
    expect(await app.database.write.prisma.like.count({ where: { publicationId: uuid } })).toBe(0)
  }
  expect(await wrongCounters(app.database)).toEqual([])
})

test('a like that waits for a deletion gets NOT_FOUND', async () => {
  const uuid = await publish(app, ada)
  await outcomes(crowd.slice(0, 5).map((viewer) => toggle(viewer, uuid)))
  const answers = await heldUp(
    app.database,
    async (transaction) => {
      await transaction.like.deleteMany({ where: { publicationId: uuid } })
      const data = { content: '', likeCount: 0, deletedAt: new Date() }
      await transaction.publication.update({ where: { id: uuid }, data })
    },
    () => crowd.slice(2, 8).map((viewer) => toggle(viewer, uuid)),
  )
  expect(tally(answers.map(outcomeOf))).toEqual({ NOT_FOUND: 6 })
  expect(await app.database.write.prisma.like.count({ where: { publicationId: uuid } })).toBe(0)
  expect(await wrongCounters(app.database)).toEqual([])
})

test('a like of something that does not exist gets NOT_FOUND and writes nothing', async () => {
  const uuid = '019ab2c4-7d1e-7c3a-9f00-5b1c2d3e4f50'
  expect(outcomeOf(await toggle(ada, uuid))).toBe('NOT_FOUND')
  expect(outcomeOf(await toggleReply(ada, uuid))).toBe('NOT_FOUND')
  expect(outcomeOf(await set(ada, uuid, true))).toBe('NOT_FOUND')
  expect(await app.database.write.prisma.like.count({ where: { publicationId: uuid } })).toBe(0)
})
