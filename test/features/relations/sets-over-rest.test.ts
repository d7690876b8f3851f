import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { follows, likes, mutes, type Relation, relations } from '../../../src/features/base/relations.ts'
import { type Person, startApp, type TestApp } from '../../support/app.ts'
import { wrongCounters } from '../../support/database/counters.ts'
import { mutate } from '../../support/graphql/mutate.ts'
import { people, publish } from '../../support/graphql/publish.ts'
import { readAnswer } from '../../support/rest/answer.ts'

let app: TestApp
let ada: Person
let crowd: Person[]
beforeAll(async () => {
  app = await startApp()
  ada = await app.person('ada')
  crowd = await people(app, 8)
})
afterAll(() => app.close())

/** Creates what a relation leads to, and returns its UUID. */
const objectOf = async ({ objectType }: Relation) =>
  objectType === 'user' ? (await app.person()).id : publish(app, ada, { parent: await publish(app, ada) })

const pathOf = ({ objectType, verb }: Relation, uuid: string) =>
  `/${objectType === 'user' ? 'user' : 'post'}/${uuid}/${verb}`

const change = async (viewer: Person, method: string, relation: Relation, uuid: string, body?: object) =>
  readAnswer(await app.rest(viewer.token, method, pathOf(relation, uuid), body))

const countIn = z.tuple([z.object({ count: z.number() })])

/** How often a viewer has a relation to an object in the database. */
async function stored({ table, actorColumn, objectColumn }: Relation, actor: string, object: string): Promise<number> {
  const rows = await app.database.write.prisma.$queryRawUnsafe(
    `select count(*)::integer as count from ${table} where ${actorColumn} = $1::uuid and ${objectColumn} = $2::uuid`,
    ...[actor, object],
  )
  return countIn.parse(rows)[0].count
}

describe.each(relations)('PUT and DELETE of a $name.one', (relation) => {
  const { on, off } = relation

  test('set it and take it back, however often they are sent', async () => {
    const uuid = await objectOf(relation)
    const viewer = await app.person()
    for (const [method, action, count] of [
      ['DELETE', off.done, 0],
      ['PUT', on.done, 1],
      ['PUT', on.done, 1],
      ['DELETE', off.done, 0],
      ['DELETE', off.done, 0],
    ] as const) {
      expect(await change(viewer, method, relation, uuid)).toMatchObject({ status: 200, body: { action, uuid } })
      expect(await stored(relation, viewer.id, uuid)).toBe(count)
    }
    expect(await wrongCounters(app.database)).toEqual([])
  })

  test('of one viewer at once leave it once or not at all, and counted exactly', async () => {
    const uuid = await objectOf(relation)
    const [viewer = ada] = crowd
    const methods = Array.from({ length: 8 }, (_, index) => (index % 2 === 0 ? 'PUT' : 'DELETE'))
    const answers = await Promise.all(methods.map((method) => change(viewer, method, relation, uuid)))
    expect(answers.map(({ body }) => body)).toEqual(
      methods.map((method) => ({ action: method === 'PUT' ? on.done : off.done, uuid })),
    )
    expect(await stored(relation, viewer.id, uuid)).toBeLessThan(2)
    await change(viewer, 'PUT', relation, uuid)
    expect(await stored(relation, viewer.id, uuid)).toBe(1)
    expect(await wrongCounters(app.database)).toEqual([])
  })

  test('of many viewers at once are counted exactly', async () => {
    const uuid = await objectOf(relation)
    await Promise.all([...crowd, ...crowd].map((viewer) => change(viewer, 'PUT', relation, uuid)))
    for (const { id } of crowd) expect(await stored(relation, id, uuid)).toBe(1)
    expect(await wrongCounters(app.database)).toEqual([])
  })

  test('have no entity tag to depend on', async () => {
    const uuid = await objectOf(relation)
    for (const method of ['PUT', 'DELETE']) {
      const answer = await app.rest(ada.token, method, pathOf(relation, uuid), undefined, { 'if-match': '"a"' })
      expect(await readAnswer(answer)).toMatchObject({ status: 412, body: { code: 'PRECONDITION_FAILED' } })
    }
    expect(await stored(relation, ada.id, uuid)).toBe(0)
  })
})

test.each(['PUT', 'DELETE'])('%s of a like ignores its body', async (method) => {
  const path = pathOf(likes, await objectOf(likes))
  for (const type of ['application/json', 'text/xml'])
    expect((await app.rest(ada.token, method, path, '{', { 'content-type': type })).status).toBe(200)
})

test('PUT of a follow asks a private account, and DELETE withdraws the request', async () => {
  const [hidden, viewer] = [await app.person(), await app.person()]
  await mutate(app, hidden, 'updateProfile', { isPrivate: true }, 'viewer { isPrivate }')
  const requests = () => app.database.write.prisma.followRequest.count({ where: { requesterId: viewer.id } })
  for (const [method, action, count] of [
    ['PUT', 'requested', 1],
    ['PUT', 'requested', 1],
    ['DELETE', 'unfollowed', 0],
    ['DELETE', 'unfollowed', 0],
  ] as const) {
    expect((await change(viewer, method, follows, hidden.id)).body).toEqual({ action, uuid: hidden.id })
    expect(await requests()).toBe(count)
    expect(await stored(follows, viewer.id, hidden.id)).toBe(0)
  }
})

describe('PUT of a mute', () => {
  const until = async (viewer: Person) =>
    (await app.database.write.prisma.mute.findFirst({ where: { muterId: viewer.id } }))?.until

  test('ends at the time in its body, and never without one', async () => {
    const [viewer, uuid] = [await app.person(), await objectOf(mutes)]
    const end = 4_102_444_800
    for (const [body, expected] of [
      [{ until: end }, new Date(end * 1_000)],
      [{ until: null }, null],
      [{ until: end + 1 }, new Date((end + 1) * 1_000)],
      [{}, null],
      [{ until: end }, new Date(end * 1_000)],
      [undefined, null],
    ] as const) {
      expect(await change(viewer, 'PUT', mutes, uuid, body)).toMatchObject({ status: 200, body: { action: 'muted' } })
      expect(await until(viewer)).toEqual(expected)
    }
  })

  test('refuses a time that has passed, and what is no time', async () => {
    const [viewer, uuid] = [await app.person(), await objectOf(mutes)]
    const messageOf = async (end: unknown) => (await change(viewer, 'PUT', mutes, uuid, { until: end })).body
    expect(await messageOf(1)).toMatchObject({ errors: [{ field: 'until', message: 'must be in the future' }] })
    const noTime = { errors: [{ field: 'until', message: 'must be a time in Unix seconds' }] }
    for (const end of ['4102444800', 4_102_444_800.5, 1e300, true, {}])
      expect(await messageOf(end)).toMatchObject(noTime)
    expect(await stored(mutes, viewer.id, uuid)).toBe(0)
  })

  test('refuses a body that is not JSON', async () => {
    const path = pathOf(mutes, await objectOf(mutes))
    const statusOf = async (body: string, type: string) =>
      (await app.rest(ada.token, 'PUT', path, body, { 'content-type': type })).status
    expect(await statusOf('{}', 'text/plain')).toBe(415)
    expect(await statusOf('{', 'application/json')).toBe(400)
    expect(await statusOf('null', 'application/json')).toBe(422)
  })
})

test.each(relations.filter(({ objectType }) => objectType === 'user'))(
  'nobody can $verb themselves',
  async (relation) => {
    for (const method of ['PUT', 'DELETE'])
      expect(await change(ada, method, relation, ada.id)).toMatchObject({
        status: 422,
        body: { errors: [{ field: 'uuid' }] },
      })
  },
)
