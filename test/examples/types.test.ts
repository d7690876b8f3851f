import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const folderOf = (path: string) => new URL(`../../${path}`, import.meta.url).pathname

const graphqlProgram = (use: string) => `
  import { ask, connect, graphql } from '../../graphql.ts'
  const document = graphql(\`query ($uuid: UUID!) { post(uuid: $uuid) { content author { username } } }\`)
  const variables = { uuid: 'a' }
  const { post } = await ask(connect({ url: '', token: '' }), '', document, variables)
  ${use}
`
const restProgram = (use: string) => `
  import createClient from 'openapi-fetch'
  import type { paths } from '../../generated/openapi.d.ts'
  const network = createClient<paths>({})
  ${use}
`

/** Programs like the examples, each with the error that its types have; none where there is no error. */
const programs: readonly (readonly [what: string, text: string, error?: string])[] = [
  ['a field as it is asked for', graphqlProgram('post?.content.trim()')],
  ['a field that was not asked for', graphqlProgram('post?.author.bio'), "Property 'bio' does not exist"],
  ['a field of what may be null', graphqlProgram('post.content'), "'post' is possibly 'null'"],
  [
    'a document without its variable',
    graphqlProgram("ask(connect({ url: '', token: '' }), '', document, {})"),
    "Property 'uuid' is missing",
  ],
  ['a property', restProgram("const { data } = await network.GET('/user'); data?.email?.trim()")],
  [
    'a property that there is not',
    restProgram("const { data } = await network.GET('/user'); data?.likes"),
    "Property 'likes' does not exist",
  ],
  ['a path that there is not', restProgram("await network.GET('/users', {})"), '"/users"'],
  ['another method', restProgram("await network.PUT('/post', { body: { content: '' } })"), '"/post"'],
  [
    'a body without a member',
    restProgram("await network.POST('/reply', { body: { content: '' } })"),
    "Property 'parent' is missing",
  ],
]
const files = new Map(programs.map(([what], index) => [what, `program-${index}.ts`]))

describe('the types of the examples', () => {
  let folder: string
  let output: string
  beforeAll(async () => {
    folder = await mkdtemp(folderOf('examples/dist/types-'))
    for (const [what, text] of programs) await writeFile(join(folder, files.get(what) ?? ''), text)
    const settings = {
      extends: '../../tsconfig.json',
      compilerOptions: { noEmit: true, noUnusedLocals: false },
      files: [...files.values()],
    }
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(settings))
    output = await new Promise((resolve) => {
      execFile(process.execPath, [folderOf('node_modules/@typescript/native/bin/tsc'), '-p', folder], (_, stdout) =>
        resolve(stdout),
      )
    })
  })
  afterAll(() => rm(folder, { recursive: true }))

  test.each(programs.map(([what, _, error]) => ({ what, error })))('tell of $what', ({ what, error }) => {
    const messages = output.split(/^(?=\S)/m).filter((message) => message.includes(`/${files.get(what)}(`))
    expect(messages).toEqual(error === undefined ? [] : [expect.stringContaining(error)])
  })
})
