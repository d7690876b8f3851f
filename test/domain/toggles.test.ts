import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { type Answer, type Person, startApp, type TestApp } from '../support/app.ts'
import { wrongCounters } from '../support/counters.ts'
import { heldUp } from '../support/held-up.ts'
import { mutate } from '../support/mutate.ts'
import { outcomeOf, outcomes, tally } from '../support/outcomes.ts'
import { people, publish } from '../support/publish.ts'

let app: TestApp
let ada: Person
let crowd: Person[]
beforeAll(async () => {
  app = await startApp()
  ada = await app.person('ada')
  crowd = await people(app, 50)
})
afterAll(() => app.close())

const actionIn = z.looseObject({ action: z.string() })
const messageIn = z.looseObject({ _message: z.string() })

async function actionOf(response: Promise<Response>): Promise<string> {
  const body: unknown = await (await response).json()
  return (actionIn.safeParse(body).data?.action ?? messageIn.parse(body)._message).toUpperCase()
}

const toggleLike = (person: Person, uuid: string) => mutate(app, person, 'toggleLike', { uuid }, 'action')
const toggleReplyLike = (person: Person, uuid: string) =>
  mutate(app, person, 'toggleReplyLike', { uuid }, 'action reply { viewerHasLiked }')
const toggleFollow = (person: Person, uuid: string) => mutate(app, person, 'toggleFollow', { uuid }, 'action')

/** A connection that viewers toggle, with the ways to do it. */
type Toggle = {
  readonly on: string
  readonly off: string
  /** Creates what the viewers toggle, and returns its UUID. */
  create(): Promise<string>
  toggle(viewer: Person, uuid: string): Promise<Answer>
  set(viewer: Person, uuid: string, on: boolean): Promise<Answer>
  /** The ways to toggle over REST. */
  rest(viewer: Person, uuid: string): (() => Promise<string>)[]
  /** How many are connected with it, and whether the viewer is. */
  state(viewer: Person, uuid: string): Promise<unknown>
}

const stateIn = z.object({ data: z.object({ it: z.object({ count: z.int(), own: z.boolean() }) }) })
async function state({ token }: Person, query: string, uuid: string) {
  const { count, own } = stateIn.parse(await app.graphql(token, query, { uuid })).data.it
  return [count, own]
}

const toggles: Toggle[] = [
  {
    on: 'LIKED',
    off: 'UNLIKED',
    create: async () => publish(app, ada, { parent: await publish(app, ada) }),
    toggle: toggleLike,
    set: (person, uuid, liked) => mutate(app, person, 'setLike', { uuid, liked }, 'action'),
    rest: ({ token }, uuid) => [
      () => actionOf(app.rest(token, 'POST', `/post/${uuid}/like`)),
      () => actionOf(app.rest(token, 'PUT', `/like/${uuid}`)),
    ],
    state: (viewer, uuid) =>
      state(viewer, 'query ($uuid: UUID!) { it: post(uuid: $uuid) { count: likeCount own: viewerHasLiked } }', uuid),
  },
  {
    on: 'FOLLOWED',
    off: 'UNFOLLOWED',
    create: async () => (await app.person()).id,
    toggle: toggleFollow,
    set: (person, uuid, followed) => mutate(app, person, 'setFollow', { uuid, followed }, 'action'),
    rest: ({ token }, uuid) => [() => actionOf(app.rest(token, 'POST', `/user/${uuid}/follow`))],
    state: (viewer, uuid) =>
      state(
        viewer,
        'query ($uuid: UUID!) { it: user(by: { uuid: $uuid }) { count: followerCount own: viewerIsFollowing } }',
        uuid,
      ),
  },
]

const times = <T>(count: number, action: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => action(index))
const expectRightCounters = async () => expect(await wrongCounters(app.database)).toEqual([])

describe.each(toggles)('$on and $off', ({ on, off, create, toggle, set, rest, state }) => {
  test('by fifty viewers at once are counted exactly', async () => {
    const uuid = await create()
    expect(await outcomes(crowd.map((viewer) => toggle(viewer, uuid)))).toEqual({ [on]: 50 })
    expect(await state(ada, uuid)).toEqual([50, false])
    for (const viewer of crowd.slice(0, 3)) expect(await state(viewer, uuid)).toEqual([50, true])
    const half = crowd.map((viewer, index) => set(viewer, uuid, index < 25))
    expect(await outcomes(half)).toEqual({ [on]: 25, [off]: 25 })
    expect(await state(ada, uuid)).toEqual([25, false])
    await expectRightCounters()
  })

  test('by one viewer at once over both APIs alternate', async () => {
    const uuid = await create()
    const [viewer = ada] = crowd
    const ways = [async () => outcomeOf(await toggle(viewer, uuid)), ...rest(viewer, uuid)]
    const actions = await Promise.all(times(51, (index) => ways[index % ways.length]?.()))
    expect(tally(actions.map(String))).toEqual({ [on]: 26, [off]: 25 })
    expect(await state(viewer, uuid)).toEqual([1, true])
    await expectRightCounters()
  })

  test('are idempotent when they are set, even at once', async () => {
    const uuid = await create()
    const [viewer = ada] = crowd
    for (const isOn of [false, true, false]) {
      expect(await outcomes(times(20, () => set(viewer, uuid, isOn)))).toEqual({ [isOn ? on : off]: 20 })
      expect(await state(viewer, uuid)).toEqual([Number(isOn), isOn])
    }
    await expectRightCounters()
  })
})

test('the toggle of replies likes and unlikes a reply, and finds no post', async () => {
  const post = await publish(app, ada)
  const uuid = await publish(app, ada, { parent: post })
  for (const [action, viewerHasLiked] of [
    ['LIKED', true],
    ['UNLIKED', false],
  ] as const) {
    expect((await toggleReplyLike(ada, uuid)).data).toEqual({ toggleReplyLike: { action, reply: { viewerHasLiked } } })
  }
  expect(outcomeOf(await toggleReplyLike(ada, post))).toBe('NOT_FOUND')
})

test('a like that waits for a deletion gets NOT_FOUND', async () => {
  const uuid = await publish(app, ada)
  await outcomes(crowd.slice(0, 5).map((viewer) => toggleLike(viewer, uuid)))
  const answers = await heldUp(
    app.database,
    async (transaction) => {
      await transaction.like.deleteMany({ where: { publicationId: uuid } })
      const data = { content: '', likeCount: 0, deletedAt: new Date() }
      await transaction.publication.update({ where: { id: uuid }, data })
    },
    () => crowd.slice(2, 8).map((viewer) => toggleLike(viewer, uuid)),
  )
  expect(tally(answers.map(outcomeOf))).toEqual({ NOT_FOUND: 6 })
  expect(await app.database.write.prisma.like.count({ where: { publicationId: uuid } })).toBe(0)
  await expectRightCounters()
})

test('users cannot follow themselves', async () => {
  const refused = { code: 'VALIDATION_FAILED', errors: [{ field: 'uuid', message: expect.any(String) }] }
  expect((await toggleFollow(ada, ada.id)).errors).toMatchObject([{ extensions: refused }])
  const response = await app.rest(ada.token, 'POST', `/user/@${ada.username}/follow`)
  expect(response.status).toBe(422)
  expect(await response.json()).toMatchObject(refused)
})
