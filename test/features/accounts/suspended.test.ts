import { isObjectType } from 'graphql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { setSuspended } from '../../../src/features/moderation/suspensions.ts'
import { schema } from '../../../src/server/schema.ts'
import { type Person, sharing, startApp, type TestApp } from '../../support/app.ts'
import { outcomeOf } from '../../support/graphql/outcomes.ts'
import { password, personOf, signIn, signUp } from '../../support/graphql/sign-in.ts'
import { postMcp, toolCall } from '../../support/http/mcp.ts'
import { readAnswer } from '../../support/rest/answer.ts'
import { askForExport, received } from '../../support/rest/exports.ts'
import { parametersOf } from '../../support/rest/openapi.ts'
import { places } from '../../support/schema/random-inputs.ts'
import { usesOf } from '../../support/schema/sample-operations.ts'

const contact = 'moderation@social.example'

let app: TestApp
let robin: Person
beforeAll(async () => {
  app = await startApp({ contact })
  robin = personOf(await signUp(app, { username: 'robin' }))
  await setSuspended(app.database, 'operator', { uuid: robin.id, reason: 'Spam.' }, true)
})
afterAll(() => app.close())

/** A new token of the suspended account, since some requests end theirs. */
const newToken = () => app.token(robin, ['user.get', 'post.get', 'reply.get', 'account.manage', 'account.export'])

const refusal = { since: expect.any(String), reason: 'Spam.', contact }
const sentence =
  /^This account has been suspended since \d{4}-\d\d-\d\d \d\d:\d\d UTC\. Reason: Spam\. Contact: moderation@social\.example$/

test('a suspended account signs in, and is told since when, why, and whom to write to', async () => {
  const { token } = personOf(await signIn(app, 'robin'))
  const [error] = (await app.graphql(token, '{ publicTimeline { nodes { uuid } } }')).errors
  expect(error).toMatchObject({
    message: expect.stringMatching(sentence),
    extensions: { code: 'ACCOUNT_SUSPENDED', ...refusal },
  })
  const { status, body } = await readAnswer(await app.rest(token, 'GET', '/notifications'))
  expect([status, body]).toMatchObject([403, { code: 'ACCOUNT_SUSPENDED', ...refusal, since: expect.any(Number) }])
})

test('without a reason or a contact, these are null', async () => {
  const other = await startApp({}, sharing(app))
  const person = await app.person()
  await setSuspended(app.database, 'operator', { uuid: person.id }, true)
  const [error] = (await other.graphql(person.token, '{ publicTimeline { nodes { uuid } } }')).errors
  await other.stop()
  expect(error).toMatchObject({
    message: expect.stringMatching(/^This .* UTC\. Contact the operator of this server\.$/),
    extensions: { reason: null, contact: null },
  })
})

/** The fields of a root type that a suspended account may use. */
async function openFields(kind: 'query' | 'mutation', source: ReadonlyMap<string, string>): Promise<string[]> {
  const open: string[] = []
  for (const [name, use] of source)
    if (outcomeOf(await app.graphql(await newToken(), `${kind} { ${use} }`)) !== 'ACCOUNT_SUSPENDED') open.push(name)
  return open
}

const typeNamed = (name: string) => {
  const type = schema.getType(name)
  if (!isObjectType(type)) throw new TypeError(`There is no type ${name}`)
  return usesOf(type)
}

describe('a suspended account', () => {
  test('can use no other mutation than these', async () => {
    expect(await openFields('mutation', typeNamed('Mutation'))).toEqual([
      'appeal',
      // Most of these need no token.
      'confirmSignIn',
      'deleteAccount',
      'requestPasswordReset',
      'resetPassword',
      'signIn',
      'signOut',
      'signUp',
      'verifyEmail',
    ])
  })

  test('can use no other query than these', async () => {
    expect(await openFields('query', typeNamed('Query'))).toEqual(['errorKinds', 'rateLimit', 'server', 'viewer'])
  })

  test('reads of its own account only what belongs to it alone', async () => {
    const uses = new Map([...typeNamed('User')].map(([name, use]) => [name, `viewer { ${use} }`]))
    expect(await openFields('query', uses)).toEqual([
      ...['appeals', 'avatar', 'badges', 'bio', 'displayName', 'editedAt', 'email', 'emailVerified', 'followerCount'],
      ...[
        'followingCount',
        'followsViewer',
        'hasRequestedViewer',
        'id',
        'isApproved',
        'isBlockingViewer',
        'isPrivate',
        'joinedAt',
      ],
      ...['language', 'readingLanguages', 'username', 'uuid', 'version'],
      ...['viewerHasRequested', 'viewerIsBlocking', 'viewerIsFollowing', 'viewerIsMuting'],
    ])
    const { data } = await app.graphql(await newToken(), '{ viewer { uuid } }')
    expect(data).toEqual({ viewer: { uuid: robin.id } })
  })

  test('can use no other operation of REST than these', async () => {
    const open: string[] = []
    for (const { method, template, operation } of places) {
      const examples = new Map(parametersOf(operation).map(({ name, example }) => [name, String(example)]))
      const path = template.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(examples.get(name) ?? ''))
      const body = method === 'GET' ? [] : [{}]
      const headers = method === 'PATCH' ? { 'content-type': 'application/merge-patch+json' } : {}
      const url = path.replace('/api/v1', '')
      const answer = await app.rest(await newToken(), method, url, ...(body.length > 0 ? [body[0], headers] : []))
      const { code } = answer.headers.get('content-type')?.includes('problem') ? await answer.json() : { code: 'DONE' }
      if (code !== 'ACCOUNT_SUSPENDED') open.push(`${method} ${template}`)
    }
    expect(open.map((it) => it.replace('/api/v1', '')).sort()).toEqual([
      'DELETE /session',
      'DELETE /user',
      'GET /appeals/{page}',
      'GET /export',
      'GET /server',
      'GET /user',
      'POST /appeal',
      // These need no token.
      ...[
        'POST /email/verify',
        'POST /password/reset',
        'POST /password/reset-request',
        'POST /session',
        'POST /session/code',
        'POST /user',
      ],
    ])
  })

  test('exports itself, and signs out', async () => {
    const token = await newToken()
    const { text, isWhole } = await received(await askForExport(app, { token }))
    expect([isWhole, text]).toEqual([true, expect.stringMatching(/^\{"type":"header".*"type":"end"/s)])
    expect(outcomeOf(await app.graphql(token, 'mutation { signOut { accessToken { name } } }'))).toBe('DONE')
    expect((await app.graphql(token, '{ viewer { uuid } }')).status).toBe(401)
  })

  test('writes nothing as an agent', async () => {
    const call = toolCall('mutate', { operation: 'mutation { sendPost(input: { content: "x" }) { __typename } }' })
    expect((await postMcp(app.origin, await newToken(), call)).status).toBe(403)
  })

  test('deletes itself, and signs in to cancel that', async () => {
    const { token } = personOf(await signIn(app, 'robin'))
    const deletion = 'mutation ($password: String!) { deleteAccount(input: { password: $password }) { finalAt } }'
    expect(outcomeOf(await app.graphql(token, deletion, { password }))).toBe('DONE')
    const again = personOf(await signIn(app, 'robin'))
    expect(outcomeOf(await app.graphql(again.token, '{ viewer { uuid } }'))).toBe('DONE')
    expect(outcomeOf(await app.graphql(again.token, '{ publicTimeline { nodes { uuid } } }'))).toBe('ACCOUNT_SUSPENDED')
  })

  test('has no applications that do anything', async () => {
    const data = { id: '019ab2c4-0000-7000-8000-0000000000aa', name: 'App', ownerId: robin.id }
    const { id: applicationId } = await app.database.write.prisma.application.create({ data })
    const token = await app.token(robin, ['user.get', 'account.manage', 'account.export'], { applicationId })
    expect(outcomeOf(await app.graphql(token, '{ viewer { uuid } }'))).toBe('ACCOUNT_SUSPENDED')
    expect((await askForExport(app, { token })).status).toBe(403)
  })
})
