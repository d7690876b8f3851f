import { v7 as newUuid } from 'uuid'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { languageIn } from '../../../src/engine/text/language.ts'
import { type Person, startApp, type TestApp } from '../../support/app.ts'
import { changesAfter, settledCursor } from '../../support/graphql/changes.ts'
import { mutate } from '../../support/graphql/mutate.ts'
import { outcomeOf, outcomes } from '../../support/graphql/outcomes.ts'
import { publish } from '../../support/graphql/publish.ts'
import { readAnswer } from '../../support/rest/answer.ts'

let app: TestApp
let ada: Person
let bob: Person
beforeAll(async () => {
  app = await startApp()
  ada = await app.person('ada')
  bob = await app.person('bob')
})
afterAll(() => app.close())

const languageOf = async (uuid: string) =>
  Object((await app.graphql(bob.token, `{ post(uuid: "${uuid}") { language } }`)).data).post.language
const edit = (uuid: string, input: object) => mutate(app, ada, 'updatePost', { uuid, ...input }, '__typename')
const update = (person: Person, input: object) => mutate(app, person, 'updateProfile', input, '__typename')

test.each([
  ['en', 'en'],
  ['EN-gb', 'en-GB'],
  ['zh-hant-tw', 'zh-Hant-TW'],
  ['iw', 'he'],
  ['de-1996', 'de-1996'],
  ['und', 'und'],
  ['en-u-ca-buddhist', 'en-u-ca-buddhist'],
  ['en_GB', undefined],
  ['', undefined],
  ['e', undefined],
  ['english language', undefined],
  ['en-', undefined],
  [`en-x-${'a'.repeat(8)}-${'b'.repeat(8)}-${'c'.repeat(8)}-${'d'.repeat(8)}`, undefined],
])('the canonical form of %j is %j', (tag, canonical) => {
  expect(languageIn(tag)).toBe(canonical)
})

describe('a language', () => {
  test('is stored in its canonical form', async () => {
    expect(await languageOf(await publish(app, ada, { language: 'pt-br' }))).toBe('pt-BR')
  })

  test.each(['', 'en_GB', 'english language', 'e'])('%j is refused', async (language) => {
    const input = { content: 'Hello', language }
    const { errors } = await mutate(app, ada, 'sendPost', input, '__typename')
    expect(errors).toMatchObject([
      {
        extensions: {
          code: 'VALIDATION_FAILED',
          errors: [{ field: 'language', message: 'must be a language tag (BCP 47)' }],
        },
      },
    ])
  })

  test('is by default that of the account, and of nobody unknown', async () => {
    const eve = await app.person()
    expect(await languageOf(await publish(app, eve))).toBeNull()
    expect(outcomeOf(await update(eve, { language: 'NL' }))).toBe('DONE')
    expect(await languageOf(await publish(app, eve))).toBe('nl')
    expect(await languageOf(await publish(app, eve, { language: 'en' }))).toBe('en')
    expect(await languageOf(await publish(app, eve, { language: 'und' }))).toBeNull()
    await update(eve, { bio: 'Changed' })
    expect(await languageOf(await publish(app, eve))).toBe('nl')
    await update(eve, { language: 'und' })
    expect(await languageOf(await publish(app, eve))).toBeNull()
  })

  test('can be edited alone, which the feed reports, and removed', async () => {
    const uuid = await publish(app, ada)
    const before = await settledCursor(app, bob)
    for (const [input, language] of [
      [{ language: 'en' }, 'en'],
      [{ content: 'Changed' }, 'en'],
      [{ locked: true, language: null }, 'en'],
      [{ language: 'und' }, null],
    ] as const) {
      expect(outcomeOf(await edit(uuid, input))).toBe('DONE')
      expect(await languageOf(uuid)).toBe(language)
    }
    const changes = await changesAfter(app, bob, { publications: [uuid] }, before)
    expect(changes.map(({ kind }) => kind)).toEqual(Array(4).fill('EDITED'))
  })

  test('goes with the text when the post is deleted', async () => {
    const uuid = await publish(app, ada, { language: 'en' })
    await mutate(app, ada, 'deletePost', { uuid }, '__typename')
    const row = await app.database.write.prisma.publication.findUnique({ where: { id: uuid } })
    expect(row).toMatchObject({ content: '', language: null })
  })

  test('is apart in full views over REST, which can change it', async () => {
    const ask = async (method: string, path: string, body: object) =>
      readAnswer(await app.rest(ada.token, method, path, body))
    const uuid = newUuid()
    const sent = await ask('POST', '/post?view=full', { uuid, content: 'Hoi', language: 'nl-nl' })
    expect(sent).toMatchObject({ status: 200, body: { content: 'Hoi', language: 'nl-NL' } })
    const edited = await ask('PATCH', `/post/${uuid}?view=full`, { language: 'fy' })
    expect(edited).toMatchObject({ status: 200, body: { language: 'fy' } })
    expect((await ask('POST', '/post', { uuid, content: 'Hoi', language: 'nl' })).status).toBe(409)
  })
})

test('a post that is sent again has the same language, or does not say one', async () => {
  const uuid = newUuid()
  const send = (language?: string) => mutate(app, ada, 'sendPost', { uuid, content: 'Hello', language }, '__typename')
  expect(await outcomes([await send('en'), await send('EN'), await send()].map(async (it) => it))).toEqual({ DONE: 3 })
  expect(await outcomes([send('en-GB'), send('und')])).toEqual({ CONFLICT: 2 })
  expect(await languageOf(uuid)).toBe('en')
})

describe('the languages that an account reads', () => {
  const read = async (person: Person, uuid: string) =>
    (await app.graphql(person.token, `{ user(by: { uuid: "${uuid}" }) { language readingLanguages } }`)).data

  test('are seen by the account alone, in their canonical form and without repetitions', async () => {
    const eve = await app.person()
    expect(await read(eve, eve.id)).toEqual({ user: { language: null, readingLanguages: [] } })
    await update(eve, { readingLanguages: ['EN', 'pt-br', 'en'], language: 'en' })
    expect(await read(eve, eve.id)).toEqual({ user: { language: 'en', readingLanguages: ['en', 'pt-BR'] } })
    expect(await read(bob, eve.id)).toEqual({ user: { language: 'en', readingLanguages: null } })
    await update(eve, { readingLanguages: null, bio: 'Kept' })
    expect(await read(eve, eve.id)).toMatchObject({ user: { readingLanguages: ['en', 'pt-BR'] } })
    await update(eve, { readingLanguages: [] })
    expect(await read(eve, eve.id)).toMatchObject({ user: { readingLanguages: [] } })
  })

  test('are at most 20, and are all languages', async () => {
    const many = Array.from({ length: 21 }, (_, nth) => `en-x-${nth}`)
    expect(outcomeOf(await update(ada, { readingLanguages: many }))).toBe('VALIDATION_FAILED')
    expect(outcomeOf(await update(ada, { readingLanguages: many.slice(1) }))).toBe('DONE')
    expect(outcomeOf(await update(ada, { readingLanguages: ['en', '?'] }))).toBe('VALIDATION_FAILED')
  })

  test('are told to their other devices, and change no version that others see', async () => {
    const eve = await app.person()
    const version = async () =>
      Object((await app.graphql(bob.token, `{ user(by: { uuid: "${eve.id}" }) { version } }`)).data).user.version
    const [before, cursor] = [await version(), await settledCursor(app, eve)]
    await update(eve, { readingLanguages: ['nl'] })
    expect(await changesAfter(app, eve, { home: true }, cursor)).toMatchObject([{ kind: 'PROFILE_EDITED' }])
    expect(await version()).toBe(before)
    await update(eve, { language: 'nl' })
    expect(await version()).not.toBe(before)
  })
})
