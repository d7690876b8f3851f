import type { Browser } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { Person, TestApp } from '../../support/app.ts'
import { barOf } from '../../support/browser/bar.ts'
import { chromiumPath } from '../../support/browser/chromium.ts'
import { watchedPage, withBrowser } from '../../support/browser/watched-page.ts'
import { publish } from '../../support/graphql/publish.ts'
import { anyUuid } from '../../support/rest/answer.ts'

const operations = z.object({ paths: z.record(z.string(), z.record(z.string(), z.unknown())) })

async function openDocs(browser: Browser, origin: string) {
  const watched = await watchedPage(browser, origin)
  const { page } = watched
  await page.goto(`${origin}/api/v1/docs`)
  const operation = (method: string, path: string) =>
    page.locator(`.opblock-${method.toLowerCase()}:has([data-path="${path}"])`)
  return {
    ...watched,
    operation,
    /** Opens an operation, fills in its parameters, executes it, and returns the request and the response. */
    tryOut: async (method: string, path: string, fill: Record<string, string> = {}, body?: unknown) => {
      const block = operation(method, path)
      const execute = block.getByRole('button', { name: 'Execute' })
      if (!(await execute.isVisible())) {
        // Every click renders each open operation again.
        const open = page.locator('.opblock.is-open .opblock-summary-control')
        while ((await open.count()) > 0) await open.first().click()
        await block.locator('.opblock-summary-control').click()
      }
      for (const [name, value] of Object.entries(fill)) {
        await block.locator(`tr[data-param-name="${name}"] input`).fill(value)
      }
      if (body !== undefined) await block.locator('.body-param textarea').fill(JSON.stringify(body))
      const answer = page.waitForResponse((response) => response.request().method() === method)
      await execute.click()
      const response = await answer
      const shown = block.locator('.live-responses-table .response-col_description .highlight-code').first()
      await shown.waitFor()
      const { authorization, ...headers } = response.request().headers()
      return {
        status: response.status(),
        authorization,
        headers,
        body: await response.json(),
        shown: await shown.innerText(),
      }
    },
  }
}

// Opening the page is slower than all of the steps, so the tests share it.
describe.skipIf(chromiumPath === undefined)('the REST docs in a browser', () => {
  const demo = { token: '', targets: {} }
  const started = withBrowser({ demo })
  let app: TestApp
  let ada: Person
  let post: string
  let own: string
  let docs: Awaited<ReturnType<typeof openDocs>>
  beforeAll(async () => {
    app = started.app
    ada = await app.person('ada')
    post = await publish(app, await app.person(), { content: 'A post' })
    own = await publish(app, ada)
    const reply = await publish(app, await app.person(), { content: 'A reply', parent: post })
    const user = (await app.person('henk')).id
    Object.assign(demo, { token: ada.token, targets: { post, reply, user } })
    docs = await openDocs(started.browser, app.origin)
  })

  test('show the response of the first operation by themselves, and a command without the token', async () => {
    const { page, operation } = docs
    const first = operation('GET', '/post/{uuid}')
    await first.locator('.live-responses-table').getByText('"A post"').waitFor()
    const command = await first.locator('.curl-command').innerText()
    expect(command).toContain('-H "Authorization: Bearer $TOKEN"')
    expect(await page.locator('#docs').innerText()).not.toContain(ada.token)
    expect(new URL(page.url()).hash).toBe('')
  })

  test('begin with the introduction, and show every operation with its scopes', async () => {
    const { page, operation } = docs
    const document = operations.parse(await (await app.rest(undefined, 'GET', '/openapi.json')).json())
    const methods = Object.values(document.paths).flatMap((path) => Object.keys(path))
    await page.locator('.opblock').first().waitFor()
    expect(await page.locator('.opblock').count()).toBe(methods.length)
    const follow = operation('POST', '/user/{user}/follow')
    await follow.locator('.opblock-summary-control').click()
    await follow.getByText('Scopes: user.get and user.follow').waitFor()
    const introduction = page.getByText('Errors are checked in this order')
    expect(await introduction.count()).toBe(1)
    const { y: first = 0 } = (await page.locator('.opblock').first().boundingBox()) ?? {}
    expect((await introduction.boundingBox())?.y).toBeLessThan(first)
    await page.getByRole('navigation', { name: 'Objects' }).getByRole('link', { name: 'Users' }).click()
    await expect.poll(async () => (await page.locator('#operations-tag-Users').boundingBox())?.y).toBeLessThan(100)
  })

  test('execute operations with the demo token, filled in with existing objects', async () => {
    const { tryOut, complaints, elsewhere } = docs
    const { status, authorization, body, shown } = await tryOut('GET', '/user/{user}')
    expect({ status, authorization }).toEqual({ status: 200, authorization: `Bearer ${ada.token}` })
    expect(body).toMatchObject({ username: 'henk' })
    expect(shown).toContain('"username": "henk"')
    expect(await tryOut('GET', '/reply/{uuid}')).toMatchObject({ body: { content: 'A reply', parent: post } })
    expect(await tryOut('POST', '/reply')).toMatchObject({ status: 200, body: { parent: post } })
    const sent = await tryOut('POST', '/post', {}, { content: 'Hello from the docs' })
    expect(sent).toMatchObject({ status: 200, body: { uuid: anyUuid, content: 'Hello from the docs' } })
    expect({ complaints, elsewhere }).toEqual({ complaints: [], elsewhere: [] })
  })

  test('send nothing optional that nobody filled in', async () => {
    const { tryOut } = docs
    expect(await tryOut('GET', '/changes')).toMatchObject({ status: 200, body: { changes: [] } })
    const { headers } = await tryOut('PATCH', '/post/{uuid}', { uuid: own }, { content: 'Edited' })
    expect(headers).toMatchObject({ 'content-type': 'application/json' })
    for (const name of ['if-match', 'if-none-match', 'idempotency-key', 'rookery-after', 'prefer'])
      expect(headers).not.toHaveProperty(name)
  })

  test('use a pasted token, and none once it is forgotten', async () => {
    const { page, tryOut } = docs
    const { token } = await app.person('robin')
    const bar = barOf(page)
    await bar.untilItIs('@ada (demo)')
    await bar.enter(token)
    await bar.untilItIs('@robin')
    expect(await tryOut('POST', '/post/{uuid}/like', { uuid: post })).toMatchObject({
      status: 200,
      authorization: `Bearer ${token}`,
      body: { action: 'liked', uuid: post },
    })
    await bar.press('Sign out')
    await bar.notice.getByText('You are not signed in.').waitFor()
    expect(await tryOut('GET', '/user')).toMatchObject({ status: 401, authorization: undefined })
  })
})
