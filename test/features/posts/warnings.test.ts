import { v7 as newUuid } from 'uuid'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Person, startApp, type TestApp } from '../../support/app.ts'
import { changesAfter, settledCursor } from '../../support/graphql/changes.ts'
import { mutate } from '../../support/graphql/mutate.ts'
import { outcomeOf, outcomes } from '../../support/graphql/outcomes.ts'
import { publish } from '../../support/graphql/publish.ts'

let app: TestApp
let ada: Person
let bob: Person
beforeAll(async () => {
  app = await startApp()
  ada = await app.person('ada')
  bob = await app.person('bob')
})
afterAll(() => app.close())

const read = async (uuid: string) =>
  (await app.graphql(bob.token, `{ post(uuid: "${uuid}") { content warning editedAt } }`)).data
const edit = (uuid: string, input: object) =>
  mutate(app, ada, 'updatePost', { uuid, ...input }, 'publication { warning }')
const shown = (content: string, warning: string | null, isEdited = false) => ({
  post: { content, warning, editedAt: isEdited ? expect.any(String) : null },
})

describe('a warning', () => {
  test.each(['!', ' Spoilers ', '😀'.repeat(200), 'Two\nlines', 'a]\n\nb', '#birds @bob', '\u200bא'])(
    '%j is read as it was sent',
    async (warning) => {
      expect(await read(await publish(app, ada, { warning }))).toEqual(shown('Hello', warning))
    },
  )

  test.each([null, ''])('of %j in a new post is none', async (warning) => {
    const sent = await mutate(app, ada, 'sendPost', { content: 'Hello', warning }, 'publication { warning }')
    expect(sent.data).toEqual({ sendPost: { publication: { warning: null } } })
  })

  test.each([' ', '\n', '\u200b\u2060', '\u2800', 'a\0b', 'a\u001bb', '\ud800', 'a'.repeat(201), '😀'.repeat(201)])(
    '%j is refused by each mutation, which changes nothing',
    async (warning) => {
      const uuid = await publish(app, ada)
      const sending = ['sendPost', 'sendReply'].map((name) =>
        mutate(app, ada, name, { content: 'Hello', parent: uuid, warning }, '__typename'),
      )
      expect(await outcomes([...sending, edit(uuid, { content: 'Changed', warning })])).toEqual({
        VALIDATION_FAILED: 3,
      })
      expect(await read(uuid)).toEqual(shown('Hello', null))
    },
  )

  test('names no account and no hashtag', async () => {
    const uuid = await publish(app, ada, { warning: '@bob #birds' })
    const { data } = await app.graphql(bob.token, `{ post(uuid: "${uuid}") { mentions { start } hashtags { start } } }`)
    expect(data).toEqual({ post: { mentions: [], hashtags: [] } })
  })

  test('goes with the text when the post is deleted', async () => {
    const uuid = await publish(app, ada, { warning: 'Spoilers' })
    await mutate(app, ada, 'deletePost', { uuid }, '__typename')
    const row = await app.database.write.prisma.publication.findUnique({ where: { id: uuid } })
    expect(row).toMatchObject({ content: '', warning: null, deletedAt: expect.any(Date) })
  })
})

describe('an edit', () => {
  test('of the warning alone is an edit, also in the feed', async () => {
    const uuid = await publish(app, ada)
    const before = await settledCursor(app, bob)
    expect(outcomeOf(await edit(uuid, { warning: 'Spoilers' }))).toBe('DONE')
    const changes = await changesAfter(app, bob, { publications: [uuid] }, before)
    expect(changes).toMatchObject([{ kind: 'EDITED', actorUuid: ada.id, publication: { content: 'Hello' } }])
    expect(await read(uuid)).toEqual(shown('Hello', 'Spoilers', true))
  })

  test('keeps a warning that it does not name, replaces it with another, and removes it with an empty text', async () => {
    const uuid = await publish(app, ada, { warning: 'One' })
    for (const [input, content, warning] of [
      [{ content: 'Changed' }, 'Changed', 'One'],
      [{ content: 'Again', warning: null }, 'Again', 'One'],
      [{ warning: 'Two' }, 'Again', 'Two'],
      [{ warning: '' }, 'Again', null],
    ] as const) {
      await edit(uuid, input)
      expect(await read(uuid)).toEqual(shown(content, warning, true))
    }
  })

  test('of nothing is refused', async () => {
    const uuid = await publish(app, ada, { warning: 'One' })
    expect(outcomeOf(await edit(uuid, { warning: null }))).toBe('VALIDATION_FAILED')
    expect(await read(uuid)).toEqual(shown('Hello', 'One'))
  })

  test('of the text does not undo one of the warning at the same time', async () => {
    const uuid = await publish(app, ada)
    const edits = [{ content: 'Changed' }, { warning: 'Spoilers' }, { locked: true }].map((input) => edit(uuid, input))
    expect(await outcomes(edits)).toEqual({ DONE: 3 })
    expect(await read(uuid)).toEqual(shown('Changed', 'Spoilers', true))
  })
})

test('a post that is sent again has the same warning, or its uuid is taken', async () => {
  const sent = { uuid: newUuid(), content: 'Hello', warning: 'Spoilers' }
  const send = (warning: string | null) => mutate(app, ada, 'sendPost', { ...sent, warning }, '__typename')
  expect(await outcomes(['Spoilers', 'Spoilers'].map(send))).toEqual({ DONE: 2 })
  expect(await outcomes(['spoilers', '', null].map(send))).toEqual({ CONFLICT: 3 })
  expect(await read(sent.uuid)).toEqual(shown('Hello', 'Spoilers'))
})
