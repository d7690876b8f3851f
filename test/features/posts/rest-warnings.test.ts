import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { type Person, startApp, type TestApp } from '../../support/app.ts'
import { publish } from '../../support/graphql/publish.ts'
import { readAnswer } from '../../support/rest/answer.ts'

let app: TestApp
let ada: Person
beforeAll(async () => {
  app = await startApp()
  ada = await app.person('ada')
})
afterAll(() => app.close())

const ask = async (method: string, path: string, body?: object) =>
  readAnswer(await app.rest(ada.token, method, path, body))
const post = z.object({ uuid: z.uuid(), content: z.string() })
const send = async (body: object) => post.parse((await ask('POST', '/post', body)).body)
const stored = (uuid: string) =>
  app.database.write.prisma.publication.findUniqueOrThrow({
    where: { id: uuid },
    select: { content: true, warning: true },
  })

test('a documented client gets the warning in front of the text, and a full view has both apart', async () => {
  const parent = await publish(app, ada, { content: 'The end', warning: 'Spoilers' })
  const reply = await publish(app, ada, { content: 'Yes', parent, warning: 'Also' })
  const both = { content: '[CW: Also]\n\nYes', parent: { content: '[CW: Spoilers]\n\nThe end' } }
  const apart = { content: 'Yes', warning: 'Also', parent: { content: 'The end', warning: 'Spoilers' } }
  for (const [view, expected] of [
    ['', both],
    ['?view=full', apart],
  ] as const) {
    expect((await ask('GET', `/post/${reply}${view}`)).body).toMatchObject(expected)
    expect((await ask('GET', `/reply/${reply}${view}`)).body).toMatchObject({ content: expected.content })
    const { body } = await ask('GET', `/post/${parent}/replies/1${view}`)
    expect(body).toMatchObject({ post: expected.parent, replies: [expected] })
  }
})

test('the longest warning and text together are as long as documented', async () => {
  const uuid = await publish(app, ada, { content: '😀'.repeat(500), warning: '🐦'.repeat(200) })
  const { content } = post.parse((await ask('GET', `/post/${uuid}`)).body)
  expect([...content]).toHaveLength(708)
})

describe('a content with a warning in front', () => {
  test.each([
    ['as responses have it', 'Spoilers', '[CW: Spoilers]\n\nThe end'],
    ['with line breaks of forms', 'Spoilers', '[CW: Spoilers]\r\n\r\nThe end'],
    ['on two lines', 'Spoilers\n[of a book]', '[CW: Spoilers\n[of a book]]\n\nThe end'],
  ])('%s is both', async (_how, warning, content) => {
    const { uuid } = await send({ content })
    expect(await stored(uuid)).toEqual({ content: 'The end', warning })
  })

  test.each([
    '[CW: Spoilers]\nThe end',
    '[CW: ]\n\nThe end',
    '[cw: Spoilers]\n\nThe end',
    ' [CW: Spoilers]\n\nThe end',
  ])('is only a text as %j', async (content) => {
    const { uuid } = await send({ content })
    expect(await stored(uuid)).toEqual({ content, warning: null })
  })

  test('is only a text beside a warning of its own, also an empty one', async () => {
    const content = '[CW: Spoilers]\n\nThe end'
    for (const [own, warning] of [
      ['Other', 'Other'],
      ['', null],
    ]) {
      const { uuid } = await send({ content, warning: own })
      expect(await stored(uuid)).toEqual({ content, warning })
    }
  })

  test('needs a text behind it', async () => {
    const refused = await ask('POST', '/post', { content: '[CW: Spoilers]\n\n' })
    expect(refused).toMatchObject({ status: 422, body: { errors: [{ field: 'content' }] } })
  })
})

test.each(['post', 'reply'])('whoever edits a %s as they read it does not double its warning', async (kind) => {
  const parent = await publish(app, ada)
  const uuid = await publish(app, ada, { content: 'a'.repeat(500), parent, warning: 'b'.repeat(200) })
  const { content } = post.parse((await ask('GET', `/${kind}/${uuid}`)).body)
  expect((await ask('PATCH', `/${kind}/${uuid}`, { content })).status).toBe(200)
  expect(await stored(uuid)).toEqual({ content: 'a'.repeat(500), warning: 'b'.repeat(200) })
  await ask('PATCH', `/${kind}/${uuid}`, { content: '[CW: Other]\n\nEdited' })
  expect(await stored(uuid)).toEqual({ content: 'Edited', warning: 'Other' })
  await ask('PATCH', `/${kind}/${uuid}`, { content: 'Only the text' })
  expect(await stored(uuid)).toEqual({ content: 'Only the text', warning: 'Other' })
  await ask('PATCH', `/${kind}/${uuid}`, { warning: '' })
  expect(await stored(uuid)).toEqual({ content: 'Only the text', warning: null })
})

test('an entity tag changes with the warning', async () => {
  const uuid = await publish(app, ada)
  const tag = async () => (await app.rest(ada.token, 'GET', `/post/${uuid}`)).headers.get('etag')
  const before = await tag()
  expect((await ask('PATCH', `/post/${uuid}`, { warning: 'Spoilers' })).status).toBe(200)
  expect(await tag()).not.toBe(before)
})
