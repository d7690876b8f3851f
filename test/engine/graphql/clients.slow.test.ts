import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { waitingForChanges } from '../../../src/engine/data/change-watch.ts'
import { packageFolder } from '../../../src/engine/package.ts'
import { type Person, startApp, type TestApp } from '../../support/app.ts'
import { type DatabaseProxy, startDatabaseProxy } from '../../support/database/proxy.ts'
import { createFolder } from '../../support/folder.ts'
import { makeToken, revoke } from '../../support/graphql/access-tokens.ts'
import { untilSettled } from '../../support/graphql/changes.ts'
import { subscribe } from '../../support/graphql/events.ts'
import { mutate } from '../../support/graphql/mutate.ts'
import { publish } from '../../support/graphql/publish.ts'
import { type Started, startProgram } from '../../support/processes/program.ts'
import { textOf } from '../../support/project/source-files.ts'

let app: TestApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.close())

let ada: Person
let issued: Awaited<ReturnType<typeof makeToken>>
let proxy: DatabaseProxy
let running: Started | undefined
const temporary = createFolder()
afterAll(() => temporary.remove())
symlinkSync(join(packageFolder, 'node_modules'), join(temporary.folder, 'node_modules'))

beforeEach(async () => {
  ada = await app.person()
  issued = await makeToken(app, ada.token, { scopes })
  proxy = await startDatabaseProxy(app.origin)
})
afterEach(async () => {
  running?.child.kill('SIGKILL')
  await running?.ended
  await proxy.close()
})

const scopes = ['POST_GET', 'REPLY_GET', 'USER_GET', 'USER_FOLLOWING_GET', 'USER_FOLLOWERS_GET']

/** Starts the recipe of a section of docs/clients.md, followed by more code. Returns what the program has printed last. */
function start(section: string, more: string) {
  const [, text = ''] = textOf('docs/clients.md').split(`\n## ${section}\n`)
  const recipe = [...(text.split('\n## ')[0] ?? '').matchAll(/^```js\n(.*?)^```/gms)].map(([, code]) => code)
  const given = { origin: new URL(proxy.url).origin, token: issued.token }
  const constants = Object.entries(given).map(([name, value]) => `const ${name} = ${JSON.stringify(value)}`)
  const file = join(temporary.folder, `${section}.mjs`)
  writeFileSync(file, [...constants, ...recipe, more].join('\n'))
  const started = startProgram({ file, builtBy: '' }, [], {})
  running = started
  const printed = () => {
    if (started.output.stderr) throw new Error(started.output.stderr)
    return started.output.stdout.trim().split('\n').at(-1)
  }
  return { ...started, printed }
}

test('Apollo Client reads pages and follows changes from the first one, also after a cut, until its token is revoked', async () => {
  for (let count = 0; count < 21; count += 1) await publish(app, ada, { content: 'Old' })
  await untilSettled(app)
  const { printed, output } = start(
    'Apollo Client',
    `let next
     timeline.subscribe(({ data: { changeCursor, homeTimeline } }) => {
       const [first, ...others] = homeTimeline.edges.map(({ node }) => node.content + ' ' + node.likeCount)
       console.log(first, others.length, changeCursor === data.changeCursor)
       if (first === 'New 0') next ??= more()
     })`,
  )
  const shows = (line: string) => expect.poll(printed).toBe(line)
  await shows('Old 0 19 true')
  const uuid = await publish(app, ada, { content: 'New' })
  await shows('New 0 21 true')
  proxy.hangUp()
  await mutate(app, ada, 'setLike', { uuid, liked: true }, 'action')
  proxy.back()
  await shows('New 1 21 true')
  await mutate(app, ada, 'updatePost', { uuid, content: 'Edited' }, '__typename')
  await shows('Edited 1 21 true')
  await mutate(app, ada, 'deletePost', { uuid }, '__typename')
  await shows('Old 0 20 true')
  await revoke(app, ada.token, issued.id)
  await expect.poll(() => output.stderr).toContain('unknown, expired or revoked')
})

test('urql reads queries and subscriptions', async () => {
  const { printed } = start(
    'urql',
    `const { data } = await client.query('{ changeCursor viewer { username } }', {})
     const changes = 'subscription ($after: String) { changes(of: { home: true }, after: $after) { publication { content } } }'
     client.subscription(changes, { after: data.changeCursor }).subscribe(({ data, error }) => {
       console.log(data?.changes.publication.content ?? error)
     })
     console.log(data.viewer.username)`,
  )
  await expect.poll(printed).toBe(ada.username)
  await publish(app, ada, { content: 'New' })
  await expect.poll(printed).toBe('New')
})

test('eventsource follows changes with a token, also after a cut, until the token is revoked', async () => {
  const { printed, ended } = start('EventSource', `stream.addEventListener('open', () => console.log('open'))`)
  const last = async (content: string) => {
    const change = { data: { changes: { kind: 'PUBLISHED', publication: { content } } } }
    await expect.poll(printed).toBe(JSON.stringify(change))
  }
  await expect.poll(printed).toBe('open')
  await publish(app, ada, { content: 'One' })
  await last('One')
  proxy.hangUp()
  await publish(app, ada, { content: 'Two' })
  proxy.back()
  await last('Two')
  await revoke(app, ada.token, issued.id)
  expect(await ended).toMatchObject({ code: 0, stdout: expect.stringContaining('UNAUTHENTICATED') })
})

test('eventsource misses nothing after a cut before the first event, and opens when the account has fewer streams', async () => {
  const { printed } = start(
    'EventSource',
    `stream.addEventListener('open', () => console.log('open'))
     stream.addEventListener('error', () => console.log('error'))`,
  )
  await expect.poll(printed).toBe('open')
  proxy.hangUp()
  await expect.poll(printed).toBe('error')
  await publish(app, ada, { content: 'Missed' })
  const others = new AbortController()
  const { signal } = others
  for (let count = 0; count < waitingForChanges; count += 1) await subscribe(app, issued, { signal })
  proxy.back()
  await expect.poll(() => app.lines.some(({ status }) => status === 503)).toBe(true)
  others.abort()
  await expect.poll(printed).toContain('Missed')
})
