import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Person, startApp, type TestApp } from '../../support/app.ts'
import { mutate } from '../../support/graphql/mutate.ts'
import { importPublication } from '../../support/networks/imported-publication.ts'

let app: TestApp
let ada: Person
beforeAll(async () => {
  app = await startApp()
  ada = await app.person('ada')
})
afterAll(() => app.close())

const stored = async (uuid: string) =>
  (await app.graphql(ada.token, `{ post(uuid: "${uuid}") { content warning } }`)).data

test.each([
  ['is imported without one if its export is older than these', {}, null],
  ['is imported without one if it had none', { warning: null }, null],
  ['has it again', { warning: 'Two\nlines' }, 'Two\nlines'],
])('a post with a warning %s', async (_what, more, warning) => {
  const { uuid, problems } = await importPublication(app, ada, more)
  expect(problems).toEqual([])
  expect(await stored(uuid)).toEqual({ post: { content: 'Hello', warning } })
})

test.each([
  ['of an export without languages has none', {}, null],
  ['has its language again', { language: 'en-GB' }, 'en-GB'],
  ['has its language in the form that is canonical now', { language: 'iw' }, 'he'],
])('a post %s, whatever the default of the account', async (_what, more, language) => {
  await mutate(app, ada, 'updateProfile', { language: 'nl' }, '__typename')
  const { uuid, problems } = await importPublication(app, ada, more)
  expect(problems).toEqual([])
  expect((await app.graphql(ada.token, `{ post(uuid: "${uuid}") { language } }`)).data).toEqual({ post: { language } })
})
