import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addDocuments, documentHash, removeDocuments } from '../../../src/engine/graphql/stored-documents.ts'
import { pageDocuments } from '../../../src/server/pages/page.ts'
import { type Person, sharing, startApp, type TestApp } from '../../support/app.ts'

const stored = 'query Name { viewer { username } }'
const storedMutation =
  'mutation Send($content: String!) { sendPost(input: { content: $content }) { publication { content } } }'
const storedIntrospection = '{ __schema { queryType { name } } }'
const unknownHash = documentHash('never stored')

let all: TestApp
let trusted: TestApp
let ada: Person
beforeAll(async () => {
  all = await startApp()
  trusted = await startApp({ onlyTrustedDocuments: true, graphiql: false, introspection: false }, sharing(all))
  ada = await all.person()
  await store(stored, storedMutation, storedIntrospection)
})
afterAll(async () => {
  await trusted.close()
  await all.close()
})

const store = (...sources: string[]) =>
  addDocuments(
    all.database,
    sources.map((source) => ({ source, operations: [] })),
  )

async function post(app: TestApp, body: object, accept = 'application/json', token: string | undefined = ada.token) {
  const response = await fetch(`${app.origin}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept, ...(token && { authorization: `Bearer ${token}` }) },
    body: JSON.stringify(body),
  })
  return { status: response.status, body: (await response.json()) as unknown }
}
const persisted = (sha256Hash: unknown) => ({ extensions: { persistedQuery: { version: 1, sha256Hash } } })
const viewer = () => ({ status: 200, body: { data: { viewer: { username: ada.username } } } })
const code = (status: number, name: string) => ({ status, body: { errors: [{ extensions: { code: name } }] } })

describe.each([
  ['all documents', () => all],
  ['trusted documents only', () => trusted],
] as const)('a server of %s', (_, app) => {
  test.each(['application/json', 'application/graphql-response+json', 'application/*;q=0.5', '*/*'])(
    'runs a stored document by its hash, if the client accepts %s',
    async (accept) => {
      const hash = documentHash(stored)
      for (const named of [
        { documentId: hash },
        { documentId: `sha256:${hash.toUpperCase()}` },
        persisted(hash),
        { query: null, ...persisted(hash) },
        { query: stored },
        { query: stored, documentId: hash },
        { query: stored, ...persisted(hash) },
      ]) {
        expect([named, await post(app(), named, accept)]).toEqual([named, viewer()])
      }
    },
  )

  test('runs stored documents with GET, unless they are mutations', async () => {
    const get = async (search: Record<string, string>) => {
      const headers = { authorization: `Bearer ${ada.token}`, accept: 'application/json' }
      const response = await fetch(`${app().origin}/graphql?${new URLSearchParams(search)}`, { headers })
      return { status: response.status, body: (await response.json()) as unknown }
    }
    const hash = documentHash(stored)
    expect(await get({ documentId: hash })).toEqual(viewer())
    expect(await get({ extensions: JSON.stringify(persisted(hash).extensions) })).toEqual(viewer())
    const mutation = { documentId: documentHash(storedMutation), variables: '{"content":"Hello"}' }
    expect(await get(mutation)).toMatchObject(code(405, 'METHOD_NOT_ALLOWED'))
  })

  test('passes variables, and checks tokens and scopes', async () => {
    const send = { documentId: documentHash(storedMutation), variables: { content: 'Hello' } }
    const sent = { data: { sendPost: { publication: { content: 'Hello' } } } }
    expect(await post(app(), send)).toEqual({ status: 200, body: sent })
    expect(await post(app(), send, 'application/json', '')).toMatchObject(code(401, 'UNAUTHENTICATED'))
    const narrow = await all.token(ada, ['post.get'])
    expect(await post(app(), send, 'application/json', narrow)).toMatchObject(code(403, 'INSUFFICIENT_SCOPE'))
  })

  test('runs stored introspection', async () => {
    const schema = { __schema: { queryType: { name: 'Query' } } }
    expect(await post(app(), { documentId: documentHash(storedIntrospection) })).toEqual({
      status: 200,
      body: { data: schema },
    })
  })

  test('refuses a request without a document, and an id that is not a string', async () => {
    expect(await post(app(), {})).toMatchObject(code(400, 'BAD_REQUEST'))
    expect(await post(app(), { documentId: 1 })).toMatchObject(code(400, 'BAD_REQUEST'))
    expect(await post(app(), { query: 1, documentId: documentHash(stored) })).toMatchObject(code(400, 'BAD_REQUEST'))
  })

  test('runs documents that are stored while it runs', async () => {
    const source = `query { viewer { username } } # ${app().origin}`
    expect((await post(app(), { documentId: documentHash(source) })).status).not.toBe(200)
    await store(source)
    expect(await post(app(), { documentId: documentHash(source) })).toEqual(viewer())
  })
})

describe('a document that is not stored', () => {
  const query = '{ viewer { username } }'

  test('is refused by a server of trusted documents, however it is named', async () => {
    for (const body of [
      { query },
      { query, documentId: documentHash(stored) },
      { query: `${stored} ` },
      { documentId: unknownHash },
      { documentId: 'x' },
      persisted(unknownHash),
      persisted(1),
    ]) {
      expect([body, await post(trusted, body)]).toMatchObject([body, code(403, 'DOCUMENT_NOT_TRUSTED')])
    }
  })

  test('is not found by its hash, or is requested from the client', async () => {
    for (const documentId of [unknownHash, `md5:${unknownHash}`, '', 'x']) {
      expect([documentId, await post(all, { documentId })]).toMatchObject([documentId, code(404, 'NOT_FOUND')])
    }
    for (const hash of [unknownHash, 1]) {
      const { status, body } = await post(all, persisted(hash))
      expect({ status, body }).toMatchObject(code(200, 'PERSISTED_QUERY_NOT_SUPPORTED'))
      expect(body).toMatchObject({ errors: [{ message: 'PersistedQueryNotSupported' }] })
    }
    expect(await post(all, { query, ...persisted(unknownHash) })).toEqual(viewer())
  })
})

test('an old document that the schema does not allow any more is refused and logged at the start', async () => {
  const source = '{ viewer { shoeSize } }'
  await store(source)
  const restarted = await startApp({ onlyTrustedDocuments: true, compilesAtStart: true }, sharing(all))
  expect(await post(restarted, { documentId: documentHash(source) })).toMatchObject({
    body: { errors: [{ extensions: { code: 'VALIDATION_FAILED' } }] },
  })
  const warned = { msg: 'a trusted document is not valid any more', hash: documentHash(source) }
  await expect.poll(() => restarted.lines).toContainEqual(expect.objectContaining(warned))
  await restarted.close()
  await removeDocuments(all.database, [documentHash(source)])
})

test('documents are stored all or none, up to a number', async () => {
  const many = Array.from({ length: 5_000 }, (_, index) => `query Q${index} { viewer { username } }`)
  await expect(store(...many)).rejects.toMatchObject({ code: 'CONFLICT' })
  expect(await store(many[0] ?? '', stored)).toBe(1)
  await expect(removeDocuments(all.database, [documentHash(many[0] ?? ''), unknownHash])).rejects.toMatchObject({
    code: 'NOT_FOUND',
  })
  expect(await removeDocuments(all.database, [documentHash(many[0] ?? '')])).toBe(1)
})

describe('a server without introspection and GraphiQL', () => {
  let closed: TestApp
  beforeAll(async () => {
    closed = await startApp({ graphiql: false, introspection: false }, sharing(all))
  })
  afterAll(() => closed.close())

  test('runs other documents, but none that reads the schema', async () => {
    expect(await post(closed, { query: '{ viewer { username __typename } }' })).toMatchObject({ status: 200 })
    for (const query of ['{ __schema { types { name } } }', '{ __type(name: "User") { name } }']) {
      const { body } = await post(closed, { query })
      expect(body).toMatchObject({
        errors: expect.arrayContaining([expect.objectContaining({ extensions: { code: 'VALIDATION_FAILED' } })]),
      })
      expect(body).not.toHaveProperty('data')
    }
  })

  test('suggests no names and serves no schema', async () => {
    const signIn = 'mutation ($input: SignInInput!) { signIn(input: $input) { token } }'
    const wrong = [{ query: '{ viewer { usernam } }' }, { query: signIn, variables: { input: { usernam: 'ada' } } }]
    for (const parameters of wrong) {
      const suggestion = /Did you mean ..username/
      expect(JSON.stringify((await post(closed, parameters)).body)).not.toMatch(suggestion)
      expect(JSON.stringify((await post(all, parameters)).body)).toMatch(suggestion)
    }
    expect((await fetch(`${closed.origin}/schema.graphql`)).status).toBe(404)
    expect((await fetch(`${all.origin}/schema.graphql`)).status).toBe(200)
  })

  test('serves no page at /graphql', async () => {
    const get = (app: TestApp) => fetch(`${app.origin}/graphql`, { headers: { accept: 'text/html' } })
    expect((await get(closed)).status).toBe(400)
    expect((await get(all)).headers.get('content-type')).toContain('text/html')
  })
})

test('a server of trusted documents only runs those of its own pages', async () => {
  const documents = [...(await pageDocuments())]
  expect(documents.length).toBeGreaterThan(20)
  for (const query of documents) {
    const { body } = await post(trusted, { query })
    expect([query, JSON.stringify(body)]).toEqual([query, expect.not.stringContaining('DOCUMENT_NOT_TRUSTED')])
  }
})
