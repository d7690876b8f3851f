import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { scopes } from '../../../src/features/base/scopes.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { outcomeOf, tally } from '../../support/graphql/outcomes.ts'
import { signUp } from '../../support/graphql/sign-in.ts'
import { giveSecondFactor, ids, settle, stateOf } from '../../support/networks/small-network.ts'
import { readAnswer, refused } from '../../support/rest/answer.ts'
import { operations } from '../../support/rest/operations.ts'
import { sample } from '../../support/sample.ts'

let app: TestApp
let ada: string
let bob: string

beforeAll(async () => {
  app = await startApp()
})
beforeEach(async () => {
  await settle(app.database)
  ada = await app.token({ id: ids.ada, username: 'Ada', token: '' }, scopes)
  bob = await app.token({ id: ids.bob, username: 'bob', token: '' }, scopes)
})
afterAll(() => app.close())

const kinds = [
  { path: `/post/${ids.adaPost}`, version: 'V26.07.22' },
  { path: `/post/${ids.adaReply}`, version: 'V26.07.22' },
  { path: `/reply/${ids.adaReply}`, version: 'V26.05.28' },
] as const
const tagOf = async (path: string) => (await app.rest(ada, 'GET', path)).headers.get('etag') ?? ''
const send = (method: string, path: string, ifMatch: string, content = 'Edited', bearer = ada) =>
  app.rest(bearer, method, path, method === 'PATCH' ? { content } : undefined, { 'if-match': ifMatch })

describe.each(sample(kinds, 1))('If-Match for $path', ({ path, version }) => {
  test.each(['PATCH', 'DELETE'])('refuses %s after another edit, and nothing changes', async (method) => {
    const tag = await tagOf(path)
    await app.rest(ada, 'PATCH', path, { content: 'Edited elsewhere' })
    const before = await stateOf(app.database)
    const answer = await readAnswer(await send(method, path, tag))
    expect(answer).toEqual(refused(version, 'PRECONDITION_FAILED'))
    expect(await stateOf(app.database)).toEqual(before)
    expect((await send(method, path, `${tag}, ${await tagOf(path)}`)).status).toBe(200)
  })

  test('ignores likes and replies', async () => {
    const tag = await tagOf(path)
    await app.rest(bob, 'POST', `/post/${path.split('/')[2]}/like`)
    await app.rest(ada, 'POST', '/reply', { parent: path.split('/')[2], content: 'New' })
    expect(await tagOf(path)).not.toBe(tag)
    expect((await send('PATCH', path, tag)).status).toBe(200)
  })

  test('matches any state with *', async () => {
    expect((await send('PATCH', path, '*')).status).toBe(200)
    expect((await send('DELETE', path, '*')).status).toBe(200)
    expect((await send('DELETE', path, '*')).status).toBe(404)
  })

  test('matches no weak tag, no tag of another resource and no unknown tag', async () => {
    const tag = await tagOf(path)
    const newer = await app.rest(bob, 'POST', '/post', { content: 'Newer' })
    const { uuid }: { uuid: string } = JSON.parse(await newer.text())
    const others = [`W/${tag}`, await tagOf(`/post/${uuid}`), await tagOf('/user'), '"x"', '"", W/"*"']
    for (const value of others) {
      expect([value, (await send('PATCH', path, value)).status]).toEqual([value, 412])
    }
    const forged = `"${path.split('/')[2]}.zzzzzzzzzz-AAAAAAAAAAAAAAAA"`
    expect((await send('PATCH', path, forged)).status).toBe(200)
  })

  test('is refused if it is malformed, before anything is changed', async () => {
    const answer = await readAnswer(await send('PATCH', path, 'x'))
    expect(answer).toEqual(refused(version, 'BAD_REQUEST'))
    expect((await send('DELETE', path, '*, "x"')).status).toBe(400)
  })

  test('is checked after everything else', async () => {
    expect((await send('PATCH', path, '"x"', '')).status).toBe(422)
    expect((await send('PATCH', path, '"x"', 'Mine', bob)).status).toBe(403)
    expect((await send('DELETE', path, '"x"', '', bob)).status).toBe(403)
    expect((await send('DELETE', path.replace(/[^/]+$/, ids.nothing), '"x"')).status).toBe(404)
  })

  test('lets exactly one of many concurrent edits succeed', async () => {
    for (const round of [1, 2, 3]) {
      const tag = await tagOf(path)
      const sent = Array.from({ length: 10 }, (_, index) => send('PATCH', path, tag, `Round ${round}, ${index}`))
      const statuses = (await Promise.all(sent)).map(({ status }) => String(status))
      expect(tally(statuses)).toEqual({ 200: 1, 412: 9 })
    }
  })

  test('lets either an edit or a deletion succeed', async () => {
    const tag = await tagOf(path)
    const statuses = await Promise.all([
      send('PATCH', path, tag).then(({ status }) => status),
      send('DELETE', path, tag).then(({ status }) => status),
    ])
    expect([
      [200, 412],
      [404, 200],
    ]).toContainEqual(statuses)
  })
})

describe.each(sample(kinds, 1))('If-None-Match for $path', ({ path, version }) => {
  const sendIf = (method: string, ifNoneMatch: string, bearer = ada, content = 'Edited', more = {}) => {
    const body = method === 'PATCH' ? { content } : undefined
    return app.rest(bearer, method, path, body, { 'if-none-match': ifNoneMatch, ...more })
  }

  test.each(['PATCH', 'DELETE'])(
    'refuses %s if the resource has one of the tags, and nothing changes',
    async (method) => {
      const tag = await tagOf(path)
      const before = await stateOf(app.database)
      const { headers } = await app.rest(ada, 'GET', path, undefined, { 'accept-encoding': 'br' })
      for (const tags of ['*', tag, `W/${tag}`, `"x", ${tag}`, headers.get('etag') ?? '']) {
        expect(await readAnswer(await sendIf(method, tags))).toEqual(refused(version, 'PRECONDITION_FAILED'))
      }
      expect((await sendIf(method, tag, ada, 'Edited', { 'if-match': tag })).status).toBe(412)
      expect(await stateOf(app.database)).toEqual(before)
    },
  )

  test.each(['PATCH', 'DELETE'])('lets %s succeed if it has none of them', async (method) => {
    const tag = await tagOf(path)
    await app.rest(ada, 'POST', '/post', { content: 'A reply that it shows', parent: path.split('/')[2] })
    const isCurrent = { 'if-match': await tagOf(path) }
    expect((await sendIf(method, `"x", ${tag}, ${await tagOf('/user')}`, ada, 'Edited', isCurrent)).status).toBe(200)
  })

  test('is checked after everything else, unless it is malformed', async () => {
    const tag = await tagOf(path)
    for (const tags of ['*', tag]) {
      expect((await sendIf('PATCH', tags, ada, '')).status).toBe(422)
      for (const method of ['PATCH', 'DELETE']) expect((await sendIf(method, tags, bob)).status).toBe(403)
    }
    expect(await readAnswer(await sendIf('PATCH', 'x'))).toEqual(refused(version, 'BAD_REQUEST'))
    expect((await sendIf('DELETE', '*')).status).toBe(412)
    await app.rest(ada, 'DELETE', path)
    for (const tags of ['*', tag]) expect((await sendIf('DELETE', tags)).status).toBe(404)
  })

  test('is a part of what an Idempotency-Key stands for', async () => {
    const key = { 'idempotency-key': randomUUID() }
    expect((await sendIf('PATCH', '"x"', ada, 'Edited', key)).status).toBe(200)
    expect((await sendIf('PATCH', '"x"', ada, 'Edited', key)).headers.get('idempotency-replayed')).toBe('true')
    expect((await sendIf('PATCH', '"y"', ada, 'Edited', key)).status).toBe(422)
  })
})

describe('the account of the token', () => {
  const path = '/user'
  const password = 'correct horse battery staple'
  const signedUp = async () => {
    const { data } = await signUp(app, { username: 'leaver' })
    return (data as { signUp: { token: string } }).signUp.token
  }
  const write = (bearer: string, method: string, headers: Record<string, string>) =>
    app.rest(bearer, method, path, method === 'PATCH' ? { bio: 'Edited' } : { password }, headers)
  const read = async (bearer: string) => {
    const response = await app.rest(bearer, 'GET', path)
    return { tag: response.headers.get('etag') ?? '', body: await response.json() }
  }

  test.each(['PATCH', 'DELETE'])('is not changed by %s under a condition that does not hold', async (method) => {
    const leaver = await signedUp()
    const { tag: stale } = await read(leaver)
    await app.rest(leaver, 'PATCH', path, { display_name: 'Edited elsewhere' })
    const before = await read(leaver)
    const conditions = [
      { 'if-match': stale },
      { 'if-match': `W/${before.tag}` },
      { 'if-match': await tagOf(path) },
      { 'if-none-match': '*' },
      { 'if-none-match': before.tag },
      { 'if-unmodified-since': 'Sat, 01 Jan 2000 00:00:00 GMT' },
      { 'if-match': before.tag, 'if-none-match': before.tag },
    ]
    for (const headers of conditions) {
      const answer = await write(leaver, method, headers)
      expect([headers, answer.status, answer.headers.get('etag')]).toEqual([headers, 412, before.tag])
    }
    expect(await read(leaver)).toEqual(before)
    // The password and what else is wrong with a write come first.
    const wrong = method === 'PATCH' ? { bio: 'x'.repeat(501) } : { password: 'wrong' }
    expect((await app.rest(leaver, method, path, wrong, { 'if-match': stale })).status).toBe(422)
    await app.graphql(ada, `mutation { setFollow(input: { uuid: "${before.body.uuid}", followed: true }) { action } }`)
    const holding = [
      { 'if-match': before.tag, 'if-unmodified-since': 'Sat, 01 Jan 2000 00:00:00 GMT' },
      { 'if-unmodified-since': 'Fri, 31 Dec 2999 12:00:00 GMT' },
      { 'if-unmodified-since': 'soon' },
    ]
    for (const headers of method === 'PATCH' ? holding : holding.slice(0, 1))
      expect([headers, (await write(leaver, method, headers)).status]).toEqual([headers, 200])
  })

  test('is edited by exactly one of many concurrent writes', async () => {
    const { tag } = await read(ada)
    const sent = Array.from({ length: 8 }, () => write(ada, 'PATCH', { 'if-match': tag }))
    expect(tally((await Promise.all(sent)).map(({ status }) => String(status)))).toEqual({ 200: 1, 412: 7 })
  })

  test('keeps its version when nothing changes that others see', async () => {
    const version = async () => (await app.graphql(bob, `{ user(by: { uuid: "${ids.ada}" }) { version } }`)).data
    const before = await version()
    const { user } = app.database.write.prisma
    await user.update({
      where: { id: ids.ada },
      data: { passwordHash: 'x', emailVerified: true, moderatorSince: null },
    })
    expect(await version()).toEqual(before)
    await user.update({ where: { id: ids.ada }, data: { bio: 'Seen' } })
    expect(await version()).not.toEqual(before)
  })
})

test.each(operations.map(({ name, ...operation }) => [name, operation] as const))(
  '%s fails under an entity tag that nothing has, and does nothing',
  async (_name, { method, path, id = '', body, hasSecondFactor }) => {
    if (hasSecondFactor) await giveSecondFactor(app.database)
    const before = await stateOf(app.database)
    const response = await app.rest(ada, method, path(id), body, { 'if-match': '"x"' })
    expect([response.status, (await response.json()).code]).toEqual([412, 'PRECONDITION_FAILED'])
    expect(await stateOf(app.database)).toEqual(before)
  },
)

test('a mutation of GraphQL fails under an entity tag, since results have none', async () => {
  const headers = { 'if-match': '*' }
  const { errors } = await app.graphql(ada, '{ viewer { uuid } }', {}, { headers })
  expect(errors).toMatchObject([{ extensions: { code: 'PRECONDITION_FAILED' } }])
})

describe('ifUnchangedSince', () => {
  const mutations = {
    updatePost: 'mutation ($input: UpdatePostInput!) { updatePost(input: $input) { publication { editedAt } } }',
    updateReply: 'mutation ($input: UpdatePostInput!) { updateReply(input: $input) { reply { editedAt } } }',
    deletePost: 'mutation ($input: DeletePostInput!) { deletePost(input: $input) { publication { editedAt } } }',
    deleteReply: 'mutation ($input: DeletePostInput!) { deleteReply(input: $input) { reply { editedAt } } }',
  }
  const stateNow = async () => {
    const { data } = await app.graphql(ada, `{ reply(uuid: "${ids.adaReply}") { version createdAt editedAt } }`)
    return (data as { reply: { version: string; createdAt: string; editedAt: string | null } }).reply
  }
  const run = (name: keyof typeof mutations, ifUnchangedSince: string | null, headers = {}) => {
    const change = name.startsWith('update') ? { content: 'Edited' } : {}
    const input = { uuid: ids.adaReply, ...change, ifUnchangedSince }
    return app.graphql(ada, mutations[name], { input }, { headers })
  }

  test.each(['updatePost', 'updateReply', 'deletePost', 'deleteReply'] as const)('of %s', async (name) => {
    const { createdAt } = await stateNow()
    expect(outcomeOf(await run('updatePost', createdAt))).toBe('DONE')
    const { editedAt } = await stateNow()
    const before = await stateOf(app.database)
    for (const since of [createdAt, '0000-01-01T00:00:00Z']) {
      expect(outcomeOf(await run(name, since))).toBe('PRECONDITION_FAILED')
    }
    expect(await stateOf(app.database)).toEqual(before)
    expect(outcomeOf(await run(name, editedAt))).toBe('DONE')
  })

  test.each(['updatePost', 'updateReply', 'deletePost', 'deleteReply'] as const)(
    'of %s is refused with the current version and time of the last edit',
    async (name) => {
      for (const isEdited of [false, true]) {
        if (isEdited) await app.rest(ada, 'PATCH', `/reply/${ids.adaReply}`, { content: 'Edited elsewhere' })
        const { version, editedAt } = await stateNow()
        const extensions = { code: 'PRECONDITION_FAILED', version, editedAt }
        for (const headers of [{}, { 'idempotency-key': randomUUID() }]) {
          const { errors } = await run(name, '2000-01-01T00:00:00Z', headers)
          expect(errors.map((error) => error.extensions)).toEqual([extensions])
        }
      }
      const { editedAt } = await stateNow()
      expect(outcomeOf(await run(name, editedAt))).toBe('DONE')
    },
  )

  test('of null is none', async () => {
    expect(outcomeOf(await run('updatePost', null))).toBe('DONE')
    expect(outcomeOf(await run('deletePost', null))).toBe('DONE')
  })
})

test('each edit has a later time, however fast they follow', async () => {
  const times: number[] = []
  const edits = Array.from({ length: 20 }, (_, index) => {
    const input = `{ uuid: "${ids.adaPost}", content: "${index}" }`
    return `e${index}: updatePost(input: ${input}) { publication { editedAt } }`
  })
  const document = `mutation { ${edits.join(' ')} }`
  const { data } = await app.graphql(ada, document)
  for (const { publication } of Object.values(data as Record<string, { publication: { editedAt: string } }>)) {
    times.push(Date.parse(publication.editedAt))
  }
  expect(times).toEqual([...new Set(times)].toSorted((a, b) => a - b))
  expect(times).toHaveLength(20)
})
