import { afterAll, beforeAll, expect, test } from 'vitest'
import { blocks, follows, likes, mutes } from '../../../src/features/base/relations.ts'
import { type Person, startApp, type TestApp } from '../../support/app.ts'
import { askForChanges, changesAfter, inShort, settledCursor } from '../../support/graphql/changes.ts'
import { mutate } from '../../support/graphql/mutate.ts'
import { publish } from '../../support/graphql/publish.ts'
import { setRelation } from '../../support/graphql/relations.ts'

let app: TestApp
let ada: Person
let cyd: Person
let start: string
beforeAll(async () => {
  app = await startApp()
  ada = await app.person('ada')
  cyd = await app.person('cyd')
  start = await settledCursor(app, ada)
  const edit = (uuid: string, content: string) =>
    mutate(app, cyd, 'updatePost', { uuid, content }, 'publication { uuid }')
  const one = await publish(app, cyd, { content: 'one #a #b' })
  const two = await publish(app, cyd, { content: 'two' })
  const gone = await publish(app, cyd, { content: 'three #gone #gone' })
  await publish(app, cyd, { content: 'reply #B', parent: one })
  await edit(one, 'one #b')
  await edit(two, 'two #a')
  await edit(two, 'two')
  await setRelation(app, ada, likes, one)
  await mutate(app, cyd, 'deletePost', { uuid: gone }, 'publication { uuid }')
})
afterAll(() => app.close())

const by = async (...hashtags: string[]) => inShort(await changesAfter(app, ada, { hashtags }, start))

test('a filter selects publications that have one of its hashtags, or had it before an edit or their deletion', async () => {
  expect(await by('#A')).toEqual(['cyd EDITED one #b', 'cyd EDITED two'])
  expect(await by('b')).toEqual(['cyd PUBLISHED one #b', 'cyd PUBLISHED reply #B', 'cyd EDITED one #b'])
  expect(await by('gone', 'nothing')).toEqual(['cyd DELETED nothing'])
  expect(await by()).toEqual([])
})

test('a filter selects only what the list of a hashtag has, also for those who may read more', async () => {
  await setRelation(app, ada, follows, cyd.id)
  const content = 'four #hidden'
  const [post, other] = [
    await publish(app, cyd, { content, audience: 'FOLLOWERS' }),
    await publish(app, cyd, { content: 'five @ada #hidden', audience: 'ADDRESSED' }),
  ]
  await mutate(app, cyd, 'updatePost', { uuid: post, content: 'four #hidden #b' }, 'publication { uuid }')
  await mutate(app, cyd, 'deletePost', { uuid: other }, 'publication { uuid }')
  await publish(app, cyd, { content: 'six #hidden' })
  expect(await by('hidden')).toEqual(['cyd PUBLISHED six #hidden'])
  await setRelation(app, ada, follows, cyd.id, false)
})

test.each([mutes, blocks])(
  'a filter leaves out the publications of whom the viewer excludes by a $verb',
  async (relation) => {
    await setRelation(app, ada, relation, cyd.id)
    const left = await by('a', 'b', 'gone')
    expect(left.filter((change) => change !== 'ada BLOCKED cyd')).toEqual([])
    await setRelation(app, ada, relation, cyd.id, false)
  },
)

test('a filter with what is no hashtag is refused', async () => {
  const { errors } = await askForChanges(app, ada, { of: { hashtags: ['a', 'no hashtag'] } })
  expect(errors).toMatchObject([{ extensions: { code: 'VALIDATION_FAILED', errors: [{ field: 'of.hashtags' }] } }])
})
