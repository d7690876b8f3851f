import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { packageFolder } from '../../../src/engine/package.ts'
import { type Person, sharing, startApp, type TestApp } from '../../support/app.ts'
import { createFolder } from '../../support/folder.ts'
import { portOf } from '../../support/http/port.ts'
import { textOf } from '../../support/project/source-files.ts'

let app: TestApp
let overloaded: TestApp
let ada: Person
beforeAll(async () => {
  app = await startApp()
  overloaded = await startApp({ requestsPerAddress: 0 }, sharing(app))
  ada = await app.person('ada')
  unreliable.listen(0, '127.0.0.1')
  await once(unreliable, 'listening')
})
afterAll(async () => {
  unreliable.close()
  await overloaded.close()
  await app.close()
})

/** The keys of the requests that arrived. */
let keys: unknown[]
beforeEach(() => {
  keys = []
})

/** A proxy that loses the first response, is refused by the server once, and then works. */
const unreliable = createServer(async (request, response) => {
  const { authorization = '', 'idempotency-key': key, accept = '' } = request.headers
  const attempt = keys.push(key)
  const { origin } = attempt === 2 ? overloaded : app
  const answer = await fetch(origin + request.url, {
    method: 'POST',
    headers: { authorization, accept, 'content-type': 'application/json', ...(key && { 'idempotency-key': `${key}` }) },
    body: await text(request),
  })
  if (attempt === 1) return void response.destroy()
  response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' })
  response.end(await answer.text())
})

const send = 'mutation ($content: String!) { sendPost(input: { content: $content }) { publication { uuid content } } }'

/** What sends two posts with the client of a recipe. */
const programs = {
  '@apollo/client': `
    for (const content of contents) await client.mutate({ mutation: gql(send), variables: { content } })`,
  '@urql/core': `
    for (const content of contents) {
      const { error } = await client.mutation(send, { content })
      if (error) throw error
    }`,
}

test.each(Object.entries(programs))(
  'the client of %s in docs/clients.md sends one key with all attempts of a mutation',
  async (library, program) => {
    const recipes = [...textOf('docs/clients.md').matchAll(/^```js\n(.*?)^```/gms)].map(([, code = '']) => code)
    const recipe = recipes.find((code) => code.includes(`'${library}'`))
    const contents = [`One with ${library}`, `Two with ${library}`]
    const given = { origin: `http://127.0.0.1:${portOf(unreliable)}`, token: ada.token, send, contents }
    const constants = Object.entries(given).map(([name, value]) => `const ${name} = ${JSON.stringify(value)}`)
    const { folder, remove } = createFolder()
    symlinkSync(join(packageFolder, 'node_modules'), join(folder, 'node_modules'))
    writeFileSync(join(folder, 'program.mjs'), [...constants, recipe, program].join('\n'))
    await promisify(execFile)(process.execPath, [join(folder, 'program.mjs')])
    await remove()

    const [first, second, third, other] = keys
    expect([second, third]).toEqual([first, first])
    expect(first).toMatch(/^[\da-f-]{36}$/)
    expect(other).not.toBe(first)
    const sent = await app.database.write.prisma.publication.findMany({ where: { content: { in: contents } } })
    expect(sent.map(({ content }) => content)).toEqual(contents)
  },
)
