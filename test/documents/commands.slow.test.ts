import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { createFolder } from '../support/folder.ts'
import { endProcesses, type ServerProcess, startRookery } from '../support/processes/rookery-process.ts'
import { textOf } from '../support/project/source-files.ts'

const run = promisify(execFile)

const { folder, remove } = createFolder()
let server: ServerProcess
beforeAll(async () => {
  server = await startRookery({ DATA_DIR: folder })
})
afterAll(async () => {
  await endProcesses()
  await remove()
})

const answer = z.object({
  data: z.object({
    changeCursor: z.string(),
    publicTimeline: z.object({ nodes: z.array(z.object({ uuid: z.string() })) }),
  }),
})

/** The code in one language in a document. */
const codeOf = (path: string, language: string) =>
  [...textOf(path).matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))].map(([, code = '']) => code)

/** The commands of a document that ask a server or prepare that, for the one that the tests start. */
const commandsOf = (path: string) =>
  codeOf(path, 'sh')
    .filter((code) => /^curl |^[A-Z]+=/m.test(code))
    .join('\n')
    .replaceAll('http://127.0.0.1:4000', server.origin)
    .replaceAll('rookery_…', server.token)

test.each(['README.md', 'docs/api.md'])('the commands of %s succeed, one after the other', async (path) => {
  const curl = 'curl() { command curl --fail-with-body "$@"; }'
  const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', `${curl}\n${commandsOf(path)}`])
  expect(stdout).toContain('"data":')
  expect(stdout).not.toContain('"errors":')
})

/** The operations in the documents, each with its document and its first line that is not only a keyword. */
const operations = ['README.md', 'docs/api.md'].flatMap((path) =>
  codeOf(path, 'graphql').map((query) => [path, query.split('\n').find((line) => line.length > 10), query] as const),
)

async function ask(query: string, variables = {}): Promise<unknown> {
  const headers = { Authorization: `Bearer ${server.token}`, 'Content-Type': 'application/json' }
  const body = JSON.stringify({ query, variables })
  const response = await fetch(`${server.origin}/graphql`, { method: 'POST', headers, body })
  return response.json()
}

test.each(operations)('%s: this operation has a result: %s', async (_path, _line, query) => {
  const { data } = answer.parse(await ask('{ changeCursor publicTimeline(first: 1) { nodes { uuid } } }'))
  const [post] = data.publicTimeline.nodes
  const variables = { uuid: post?.uuid, after: query.includes('changes(') ? data.changeCursor : null }
  expect(await ask(query, variables)).toEqual({ data: expect.anything() })
})
