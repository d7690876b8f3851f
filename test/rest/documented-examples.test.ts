import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { relations } from '../../src/features/base/relations.ts'
import { sampleHashtag } from '../../src/features/posts/rest-views.ts'
import { type Person, startApp, type TestApp } from '../support/app.ts'
import { moderator, reportOf } from '../support/graphql/moderation.ts'
import { publish } from '../support/graphql/publish.ts'
import { personOf, signUp } from '../support/graphql/sign-in.ts'
import { askForExport, exportLinesOf } from '../support/rest/exports.ts'
import { bodyOf, type Parameter, parametersOf } from '../support/rest/openapi.ts'
import { places } from '../support/schema/random-inputs.ts'

let app: TestApp
let ada: Person
let henk: Person
beforeAll(async () => {
  app = await startApp()
  ada = await moderator(app, 'ada')
  henk = await app.person('henk')
  await app.person('stranger')
  await app.person('suspect')
  await publish(app, ada, { content: `#${sampleHashtag}` })
})
afterAll(() => app.close())

const cursor = z.object({ changeCursor: z.string() })

/** The cursor of the first line of an export. */
async function exported(): Promise<string> {
  const text = await (await askForExport(app, ada)).text()
  return exportLinesOf(text)[0]?.cursor ?? ''
}

/** What no document can name: the ids of objects, the viewer, and a cursor. */
async function realValues(template: string): Promise<Readonly<Record<string, string>>> {
  const { data } = await app.graphql(ada.token, '{ changeCursor }')
  // Reports are about others, and moderators do not act on themselves.
  const post = await publish(app, /report|moderation/.test(template) ? henk : ada)
  const reply = await publish(app, ada, { parent: post })
  const isOfReplies = /^\/(?:reply|like)\//.test(template)
  return {
    uuid: isOfReplies ? reply : post,
    after: template === '/export' ? await exported() : cursor.parse(data).changeCursor,
    parent: post,
    ...(template.includes('{report}') && { report: await reportOf(app, ada, post) }),
    ...(relations.some(({ table }) => template.includes(`/{user}/${table}`)) && { user: '@ada' }),
    // Henk's post is replied to later.
    ...(/\/block$/.test(template) && { user: '@stranger' }),
    ...(/\/(?:suspend|reinstate)$/.test(template) && { user: '@suspect' }),
  }
}

// Tools such as Postman make requests of the examples, with all optional headers. They share a token, as here.
test.each(places)('$method $template works with its examples', async ({ method, template, operation }) => {
  const real = await realValues(template)
  const sent = (place: Parameter['in']) =>
    parametersOf(operation)
      .filter((it) => it.in === place)
      .flatMap(({ name, example }) =>
        Array.isArray(example) ? example.map((value) => [name, value]) : [[name, String(real[name] ?? example)]],
      )
  const path = sent('path').reduce((left, [name, value]) => left.replace(`{${name}}`, value), template)
  const body = bodyOf(operation) && { ...Object(bodyOf(operation)?.example) }
  if (body?.parent) body.parent = real.parent
  if (template === '/report') body.uuid = real.uuid
  const query = new URLSearchParams(sent('query'))
  // A page has a number or a cursor.
  if (template.includes('{page}') || query.has('page')) query.delete('after')
  const url = `${path}?${query}`
  // The password in the example is that of accounts that sign up.
  const { token } = body?.password ? personOf(await signUp(app, { username: 'leaver' })) : ada
  const { status } = await app.rest(token, method, url, body, Object.fromEntries(sent('header')))
  expect(status).toBe(200)
})
