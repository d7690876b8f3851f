import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { blocks, mutes } from '../../../src/features/base/relations.ts'
import { type Person, startApp, type TestApp } from '../../support/app.ts'
import { publish } from '../../support/graphql/publish.ts'
import { setRelation } from '../../support/graphql/relations.ts'
import { readAnswer } from '../../support/rest/answer.ts'

let app: TestApp
let ada: Person
let bob: Person
beforeAll(async () => {
  app = await startApp()
  ada = await app.person('ada')
  bob = await app.person('bob')
  const parent = await publish(app, ada, { content: 'Where? #Cafe\u0301 #café' })
  await publish(app, bob, { content: 'Here #CAFÉ', parent })
  await publish(app, ada, { content: 'There #cafe' })
})
afterAll(() => app.close())

const list = z.object({ tag: z.string(), posts: z.array(z.object({ content: z.string() })) })
const read = async (path: string) => readAnswer(await app.rest(ada.token, 'GET', path))
const contentsAt = async (path: string) => list.parse((await read(path)).body).posts.map(({ content }) => content)
const all = ['Here #CAFÉ', 'Where? #Cafe\u0301 #café']

test.each(['caf%C3%A9', 'CAF%C3%89', 'Cafe%CC%81', '%23caf%C3%A9', '%EF%BC%83caf%C3%A9'])(
  'the name %s has its posts and replies, newest first and each once',
  async (name) => {
    expect((await read(`/tag/${name}/1`)).body).toMatchObject({ tag: 'café' })
    expect(await contentsAt(`/tag/${name}/1`)).toEqual(all)
  },
)

test.each(['CAF%C3%89', '%23caf%C3%A9'])('links keep the name %s percent-encoded', async (name) => {
  const { headers } = await read(`/tag/${name}/1?limit=1`)
  expect(headers.link).toBe(`</api/v1/tag/${name}/1?limit=1>; rel="first", </api/v1/tag/${name}/2?limit=1>; rel="next"`)
})

test.each(['nothing', '12', 'a%20b', 'a-b', '%40ada', 'a'.repeat(101)])('the name %s gets 404', async (name) => {
  expect(await read(`/tag/${name}/1`)).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } })
})

test.each([
  ['mute', mutes],
  ['block', blocks],
])('a %s leaves out what the account publishes', async (_verb, relation) => {
  await setRelation(app, ada, relation, bob.id)
  expect(await contentsAt('/tag/caf%C3%A9/1')).toEqual(all.slice(1))
  await setRelation(app, ada, relation, bob.id, false)
  expect(await contentsAt('/tag/caf%C3%A9/1')).toEqual(all)
})
