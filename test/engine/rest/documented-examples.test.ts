import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { hashToken } from '../../../src/engine/auth/viewers.ts'
import { newId } from '../../../src/engine/data/ids.ts'
import { relations } from '../../../src/features/base/relations.ts'
import { createEmailToken } from '../../../src/features/mail/links.ts'
import { setSuspended } from '../../../src/features/moderation/suspensions.ts'
import { sampleHashtag } from '../../../src/features/posts/rest-views.ts'
import { type Person, startApp, type TestApp } from '../../support/app.ts'
import { moderator, reportOf } from '../../support/graphql/moderation.ts'
import { publish } from '../../support/graphql/publish.ts'
import { addSecondFactor, challengeFor, codeOf } from '../../support/graphql/second-factor.ts'
import { personOf, signUp } from '../../support/graphql/sign-in.ts'
import { askForExport, exportLinesOf } from '../../support/rest/exports.ts'
import { bodyOf, type Parameter, parametersOf } from '../../support/rest/openapi.ts'
import { places } from '../../support/schema/random-inputs.ts'

let app: TestApp
let ada: Person
let henk: Person
beforeAll(async () => {
  app = await startApp({ mail: { signInNotice: false } })
  ada = await moderator(app, 'ada')
  henk = await app.person('henk')
  await app.person('stranger')
  await app.person('suspect')
  await publish(app, ada, { content: `#${sampleHashtag}` })
  const request = { id: newId(), requesterId: henk.id, requestedId: ada.id }
  await app.database.write.prisma.followRequest.create({ data: request })
})
afterAll(() => app.close())

const cursor = z.object({ changeCursor: z.string() })

/** The cursor of the first line of an export. */
async function exported(): Promise<string> {
  const text = await (await askForExport(app, ada)).text()
  return exportLinesOf(text)[0]?.cursor ?? ''
}

/** Somebody who can leave, with the password of the examples, whom nobody else needs. */
async function leaver(): Promise<Person> {
  leavers += 1
  return personOf(await signUp(app, { username: `leaver_${leavers}` }))
}
let leavers = 0

/** The uuid of an account that waits for approval. */
async function applicant(): Promise<string> {
  const { id } = await app.person()
  await app.database.write.prisma.pendingAccount.create({ data: { id, reason: 'To weave' } })
  return id
}

/** The UUIDs of a token, an invitation and an authorization of Ada, and of an application. */
async function accessOf(template: string): Promise<Readonly<Record<string, string>>> {
  const [userId, expiresAt, data] = [ada.id, new Date('2999-12-31'), { id: newId(), ownerId: ada.id, name: 'Loom' }]
  const { accessToken, application, invitation, oauthGrant } = app.database.write.prisma
  if (template.includes('{record}')) {
    const token = { id: newId(), userId, name: 'Bot', hash: hashToken(newId()), scopes: [] }
    return { record: (await accessToken.create({ data: token })).id }
  }
  if (template.includes('{invitation}')) {
    const made = { id: newId(), creatorId: userId, hash: hashToken(newId()), maxUses: 1, expiresAt }
    return { invitation: (await invitation.create({ data: made })).id }
  }
  if (!/\{(?:application|authorization)\}/.test(template)) return {}
  const { id: applicationId } = await application.create({ data })
  const grant = { id: newId(), userId, applicationId, scopes: [], expiresAt }
  return { application: applicationId, authorization: (await oauthGrant.create({ data: grant })).id }
}

/** The fields of a body that examples cannot have: those that are only right once, or for one account. */
async function realFields(template: string, person: Person): Promise<object> {
  const { id: userId, username } = person
  const linkOf = (kind: 'VERIFY' | 'RESET') =>
    createEmailToken(app.database.write.prisma, { kind, userId, email: 'ada@example.org' })
  switch (template) {
    case '/user':
      return { username: `newcomer_${leavers}` }
    case '/session':
      return { username }
    case '/session/code':
      return {
        code: (await addSecondFactor(app, person)).recoveryCodes[0],
        challenge: await challengeFor(app, person),
      }
    case '/password/reset':
      return { token: await linkOf('RESET') }
    case '/email/verify':
      return { token: await linkOf('VERIFY') }
    default:
      return {}
  }
}

async function appealOf({ id: userId }: Person): Promise<string> {
  return (await app.database.write.prisma.appeal.create({ data: { id: newId(), userId, text: 'Please' } })).id
}

/** Somebody who is suspended. */
async function suspended(): Promise<Person> {
  const person = await app.person()
  await setSuspended(app.database, 'operator', { uuid: person.id }, true)
  return person
}

/** The fields of a body that only one second factor accepts. Whoever reads, changes or removes one has it. */
async function factorFields(operation: string, person: Person, secret: unknown): Promise<object> {
  if (operation === 'PUT /second-factor') return { code: codeOf(String(secret)) }
  if (operation === 'POST /second-factor') return {}
  return { code: (await addSecondFactor(app, person)).recoveryCodes[0] }
}

/** What no document can name: the ids of objects, the viewer, and a cursor. */
async function realValues(template: string): Promise<Readonly<Record<string, string>>> {
  const { data } = await app.graphql(ada.token, '{ changeCursor }')
  // Reports are about others, and moderators do not act on themselves.
  const post = await publish(app, /report|moderation/.test(template) ? henk : ada)
  const reply = await publish(app, ada, { parent: post })
  const isOfReplies = /^\/(?:reply|like)\//.test(template)
  return {
    uuid: isOfReplies ? reply : template.endsWith('/quote') ? await publish(app, henk, { quote: post }) : post,
    after: template === '/export' ? await exported() : cursor.parse(data).changeCursor,
    parent: post,
    ...(await accessOf(template)),
    ...(template.includes('{appeal}') && { appeal: await appealOf(henk) }),
    ...(template.includes('{report}') && { report: await reportOf(app, ada, post) }),
    ...(relations.some(({ objects }) => template.includes(`/{user}/${objects.path}`)) && { user: '@ada' }),
    ...(/requests|addressed/.test(template) && { user: '@ada' }),
    // Henk's post is replied to later.
    ...(/\/block$/.test(template) && { user: '@stranger' }),
    ...(template.endsWith('/reject') && { user: await applicant() }),
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
  // The password in the examples is that of accounts that sign up.
  const isOfLeaver =
    /password/.test(Object.keys(body ?? {}).join()) || /^\/(?:session|password|email|second-factor)/.test(template)
  const person = template === '/appeal' ? await suspended() : isOfLeaver ? await leaver() : ada
  if (method === 'POST' && isOfLeaver) Object.assign(body ?? {}, await realFields(template, person))
  if (template.startsWith('/second-factor'))
    Object.assign(body ?? {}, await factorFields(`${method} ${template}`, person, body?.secret))
  const { token } = person
  const { status } = await app.rest(token, method, url, body, Object.fromEntries(sent('header')))
  expect(status).toBe(200)
})
