import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { likes, type Relation, relations, relationsTo } from '../../../src/features/base/relations.ts'
import { type Person, startApp, type TestApp } from '../../support/app.ts'
import { wrongCounters } from '../../support/database/counters.ts'
import { heldUp } from '../../support/database/locks.ts'
import { mutate } from '../../support/graphql/mutate.ts'
import { outcomeOf, outcomes, tally } from '../../support/graphql/outcomes.ts'
import { people, publish } from '../../support/graphql/publish.ts'
import { setRelation, toggleRelation } from '../../support/graphql/relations.ts'

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

const toggleReplyLike = (person: Person, uuid: string) =>
  mutate(app, person, 'toggleReplyLike', { uuid }, 'action reply { viewerHasLiked }')

/** Creates what a relation leads to, and returns its UUID. */
const objectOf = async ({ objectType }: Relation) =>
  objectType === 'user' ? (await app.person()).id : publish(app, ada, { parent: await publish(app, ada) })

/** The ways to toggle a relation over REST. */
const restTogglesOf = ({
  verb,
  objectType,
}: Relation): readonly (readonly [method: string, path: (uuid: string) => string])[] => [
  ['POST', (uuid) => `/${objectType === 'user' ? 'user' : 'post'}/${uuid}/${verb}`],
  ...(verb === 'like' ? [['PUT', (uuid: string) => `/like/${uuid}`] as const] : []),
]

const stateIn = z.object({ data: z.object({ it: z.record(z.string(), z.unknown()) }) })

/** Expects that a relation to an object is counted so often, if it is counted, and whether it is the viewer's. */
async function expectState(relation: Relation, { token }: Person, uuid: string, count: number, isOwn: boolean) {
  const counter = relation.objectCounter?.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase())
  const fields = [`own: ${relation.flag}`, ...(counter ? [`count: ${counter}`] : [])].join(' ')
  const lookup = relation.objectType === 'user' ? 'user(by: { uuid: $uuid })' : 'post(uuid: $uuid)'
  const answer = await app.graphql(token, `query ($uuid: UUID!) { it: ${lookup} { ${fields} } }`, { uuid })
  expect(stateIn.parse(answer).data.it).toEqual({ own: isOwn, ...(counter && { count }) })
}

const times = <T>(count: number, action: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => action(index))
const expectRightCounters = async () => expect(await wrongCounters(app.database)).toEqual([])

const forms = relations.map((relation) => {
  const { on, off } = relation
  return { relation, on: on.done.toUpperCase(), off: off.done.toUpperCase() }
})

describe.each(forms)('$on and $off', ({ relation, on, off }) => {
  test('by fifty viewers at once are counted exactly', async () => {
    const uuid = await objectOf(relation)
    expect(await outcomes(crowd.map((viewer) => toggleRelation(app, viewer, relation, uuid)))).toEqual({ [on]: 50 })
    await expectState(relation, ada, uuid, 50, false)
    for (const viewer of crowd.slice(0, 3)) await expectState(relation, viewer, uuid, 50, true)
    const half = crowd.map((viewer, index) => setRelation(app, viewer, relation, uuid, index < 25))
    expect(await outcomes(half)).toEqual({ [on]: 25, [off]: 25 })
    await expectState(relation, ada, uuid, 25, false)
    await expectRightCounters()
  })

  test('by one viewer at once over both APIs alternate', async () => {
    const uuid = await objectOf(relation)
    const [viewer = ada] = crowd
    const ways = [
      async () => outcomeOf(await toggleRelation(app, viewer, relation, uuid)),
      ...restTogglesOf(relation).map(
        ([method, path]) =>
          () =>
            actionOf(app.rest(viewer.token, method, path(uuid))),
      ),
    ]
    const actions = await Promise.all(times(51, (index) => ways[index % ways.length]?.()))
    expect(tally(actions.map(String))).toEqual({ [on]: 26, [off]: 25 })
    await expectState(relation, viewer, uuid, 1, true)
    await expectRightCounters()
  })

  test('are idempotent when they are set, even at once', async () => {
    const uuid = await objectOf(relation)
    const [viewer = ada] = crowd
    for (const isOn of [false, true, false]) {
      const answers = times(20, () => setRelation(app, viewer, relation, uuid, isOn))
      expect(await outcomes(answers)).toEqual({ [isOn ? on : off]: 20 })
      await expectState(relation, viewer, uuid, Number(isOn), isOn)
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
  await outcomes(crowd.slice(0, 5).map((viewer) => toggleRelation(app, viewer, likes, uuid)))
  const answers = await heldUp(
    app.database,
    async (transaction) => {
      await transaction.like.deleteMany({ where: { publicationId: uuid } })
      const data = { content: '', likeCount: 0, deletedAt: new Date() }
      await transaction.publication.update({ where: { id: uuid }, data })
    },
    () => crowd.slice(2, 8).map((viewer) => toggleRelation(app, viewer, likes, uuid)),
  )
  expect(tally(answers.map(outcomeOf))).toEqual({ NOT_FOUND: 6 })
  expect(await app.database.write.prisma.like.count({ where: { publicationId: uuid } })).toBe(0)
  await expectRightCounters()
})

test.each(relationsTo('user'))('users cannot $verb themselves', async (relation) => {
  const refused = { code: 'VALIDATION_FAILED', errors: [{ field: 'uuid', message: expect.any(String) }] }
  expect((await toggleRelation(app, ada, relation, ada.id)).errors).toMatchObject([{ extensions: refused }])
  const response = await app.rest(ada.token, 'POST', `/user/@${ada.username}/${relation.verb}`)
  expect(response.status).toBe(422)
  expect(await response.json()).toMatchObject(refused)
})
