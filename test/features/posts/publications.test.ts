import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Person, startApp, type TestApp } from '../../support/app.ts'
import { mutate } from '../../support/graphql/mutate.ts'
import { outcomeOf } from '../../support/graphql/outcomes.ts'
import { publish } from '../../support/graphql/publish.ts'

let app: TestApp
let ada: Person
let grace: Person
beforeAll(async () => {
  app = await startApp()
  ada = await app.person('ada')
  grace = await app.person('grace')
})
afterAll(() => app.close())

const fields = '__typename uuid content locked replyCount likeCount editedAt author { username }'
const sendPost = (person: Person, input: object) =>
  mutate(app, person, 'sendPost', input, `publication { ${fields} ... on Reply { parentUuid } }`)
const sendReply = (person: Person, input: object) =>
  mutate(app, person, 'sendReply', input, `reply { ${fields} parentUuid }`)
const updatePost = (person: Person, input: object) =>
  mutate(app, person, 'updatePost', input, `publication { ${fields} }`)
const updateReply = (person: Person, input: object) => mutate(app, person, 'updateReply', input, `reply { ${fields} }`)
const invalid = (field: string) => [
  { extensions: { code: 'VALIDATION_FAILED', errors: [{ field, message: expect.any(String) }] } },
]
const sent = { uuid: expect.any(String), locked: false, replyCount: 0, likeCount: 0, editedAt: null }
const rows = () => app.database.write.prisma.publication.count()

const kept = [
  { what: 'one character', content: 'a' },
  { what: '500 emoji', content: '😀'.repeat(500) },
  { what: '500 combining marks', content: `e${'\u0301'.repeat(499)}` },
  { what: 'a combining mark alone', content: '\u0301' },
  { what: 'an Arabic number sign alone', content: '\u0600' },
  { what: 'white space around it', content: ' \t\n hello \r\n ' },
  { what: 'decomposed and composed letters', content: 'A\u030a \u00c5 \u212b' },
  { what: 'joined emoji and right-to-left text', content: '👩‍👩‍👧‍👦 \u200fשלום\u200e \u202e' },
  { what: 'quotes, percent signs and backslashes', content: `'"\`; drop table users; -- \\u0000 %s $1 \\ <b>&amp;` },
  {
    what: 'tabs, line breaks, DEL, C1 control characters and noncharacters',
    content: '\t\r\n.\u007f\u0085\u009f\ufeff\uffff',
  },
]
const refused = [
  { what: 'nothing', content: '' },
  { what: '501 emoji', content: '😀'.repeat(501) },
  { what: '10,000 characters', content: 'a'.repeat(10_000) },
  { what: 'white space alone', content: ' \t\r\n\u00a0\u2003\u3000' },
  {
    what: 'characters that do not show',
    content: '\u00ad\u034f\u0085\u115f\u180e\u200b\u2028\u2060\u2800\u3164\ufe0f\ufeff\u{1d159}\u{e0061}',
  },
  { what: 'a NUL', content: 'a\0b' },
  { what: 'the first control character after it', content: 'a\u0001b' },
  { what: 'a vertical tab', content: 'a\u000bb' },
  { what: 'the last C0 control character', content: 'a\u001f' },
  { what: 'a lone high surrogate', content: 'a\ud83d' },
  { what: 'a lone low surrogate', content: '\ude00a' },
]

describe('content', () => {
  test.each(kept)('can be $what and is stored as sent', async ({ content }) => {
    const { data, errors } = await sendPost(ada, { content })
    expect(errors).toEqual([])
    const post = { ...sent, __typename: 'Post', content, author: { username: 'ada' } }
    expect(data).toEqual({ sendPost: { publication: post } })
    const response = await app.rest(ada.token, 'POST', '/post', { content })
    expect(response.status).toBe(200)
    expect(await response.json()).toMatchObject({ content })
  })

  test.each(refused)('cannot be $what, in any mutation', async ({ content }) => {
    const parent = await publish(app, ada)
    const uuid = await publish(app, ada, { parent })
    const before = await rows()
    for (const answer of [
      await sendPost(ada, { content }),
      await sendReply(ada, { parent, content }),
      await updatePost(ada, { uuid, content }),
      await updateReply(ada, { uuid, content }),
    ]) {
      expect(answer.data).toBeNull()
      expect(answer.errors).toMatchObject(invalid('content'))
    }
    expect(await rows()).toBe(before)
    const { content: unchanged, editedAt } = await app.database.write.prisma.publication.findUniqueOrThrow({
      where: { id: uuid },
    })
    expect([unchanged, editedAt]).toEqual(['Hello', null])
  })
})

describe('a locked publication', () => {
  test('accepts replies from its author only and does not count refused ones', async () => {
    for (const parent of [
      await publish(app, ada, { locked: true }),
      await publish(app, ada, { locked: true, parent: await publish(app, grace) }),
    ]) {
      expect(outcomeOf(await sendReply(grace, { content: 'Yes', parent }))).toBe('POST_LOCKED')
      expect(outcomeOf(await sendPost(grace, { content: 'Yes', parent }))).toBe('POST_LOCKED')
      const response = await app.rest(grace.token, 'POST', '/reply', { content: 'Yes', parent })
      expect(response.status).toBe(403)
      expect(await response.json()).toMatchObject({ code: 'POST_LOCKED', status: 403 })
      expect(outcomeOf(await sendReply(ada, { content: 'Mine', parent }))).toBe('DONE')
      const row = await app.database.write.prisma.publication.findUniqueOrThrow({ where: { id: parent } })
      expect(row.replyCount).toBe(1)
    }
  })

  test('still allows replies to its replies, likes, edits and deletion', async () => {
    const uuid = await publish(app, ada)
    const reply = await publish(app, grace, { parent: uuid })
    expect(outcomeOf(await updatePost(ada, { uuid, locked: true }))).toBe('DONE')
    expect(outcomeOf(await sendReply(grace, { content: 'More', parent: reply }))).toBe('DONE')
    expect(outcomeOf(await mutate(app, grace, 'toggleLike', { uuid }, 'action'))).toBe('LIKED')
    expect(outcomeOf(await updatePost(ada, { uuid, content: 'Still mine' }))).toBe('DONE')
    expect(outcomeOf(await updatePost(ada, { uuid, locked: false }))).toBe('DONE')
    expect(outcomeOf(await sendReply(grace, { content: 'Yes', parent: uuid }))).toBe('DONE')
    await updatePost(ada, { uuid, locked: true })
    expect(outcomeOf(await mutate(app, ada, 'deletePost', { uuid }, 'publication { uuid }'))).toBe('DONE')
  })
})

describe('an edit', () => {
  test('changes only the given fields and sets the edit time', async () => {
    const start = Date.now()
    const uuid = await publish(app, ada)
    const edited = { ...sent, __typename: 'Post', uuid, author: { username: 'ada' }, editedAt: expect.any(String) }
    expect((await updatePost(ada, { uuid, content: 'Changed' })).data).toEqual({
      updatePost: { publication: { ...edited, content: 'Changed' } },
    })
    expect((await updatePost(ada, { uuid, locked: true, content: null })).data).toEqual({
      updatePost: { publication: { ...edited, content: 'Changed', locked: true } },
    })
    const row = await app.database.write.prisma.publication.findUniqueOrThrow({ where: { id: uuid } })
    expect(row.editedAt?.getTime()).toBeGreaterThanOrEqual(start - 1)
    expect(row.editedAt?.getTime()).toBeGreaterThanOrEqual(row.createdAt.getTime())
  })
})
