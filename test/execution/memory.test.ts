import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { endProcesses, type ServerProcess, startRookery } from '../support/rookery-process.ts'
import { times } from '../support/times.ts'

/** The heap of the server, in MiB. */
const heap = 96

let home: string
let server: ServerProcess
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'rookery-memory-'))
  const NODE_OPTIONS = `--max-old-space-size=${heap}`
  server = await startRookery({ DATA_DIR: join(home, 'data'), LOG_LEVEL: 'silent', NODE_OPTIONS })
})
afterAll(async () => {
  await endProcesses()
  await rm(home, { recursive: true, force: true })
})

async function send(query: string, { token, ...more }: { token?: string; operationName?: string; variables?: object }) {
  const response = await fetch(`${server.origin}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
    body: JSON.stringify({ query, ...more }),
  })
  return response.json()
}

/** A document almost as long as is permitted, with characters that take two bytes. */
const large = (index: number) => `{ __typename } # ${index} ${'ж'.repeat(16_000)}`
const twoOperations = (index: number) => {
  const page = 'posts(first: 1, last: null, after: null, before: null, offset: null) { nodes { uuid } }'
  return `query Run { viewer { ${page} } } query Other { viewer { ${times(35, (field) => `a${index}_${field}: ${page}`)} } }`
}

/** Together they would not fit into the heap if they were kept. */
describe('the heap stays bounded after many distinct documents', () => {
  test.each<[string, number, (index: number, token: string) => Promise<unknown>]>([
    ['with long comments, without a token', 1_000, (index) => send(large(index), {})],
    ['with long comments, with a token', 3_200, (index, token) => send(large(index), { token })],
    [
      'with an operation that does not run',
      600,
      (index, token) => send(twoOperations(index), { token, operationName: 'Run' }),
    ],
  ])('%s', async (_name, count, request) => {
    for (let sent = 0; sent < count; sent += 8) {
      const answers = await Promise.all(Array.from({ length: 8 }, (_, index) => request(sent + index, server.token)))
      for (const answer of answers) expect(answer).toMatchObject({ data: expect.any(Object) })
    }
    expect(await send('{ viewer { uuid } }', { token: server.token })).toMatchObject({ data: { viewer: {} } })
  })
})
