import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, BrowserContext } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { barOf } from '../support/bar.ts'
import { chromiumPath, launchChromium } from '../support/chromium.ts'
import { openGraphiQL } from '../support/graphiql.ts'
import { endProcesses, type ServerProcess, startRookery } from '../support/rookery-process.ts'
import { textOf as textOfFile } from '../support/source-files.ts'
import { watchedPage } from '../support/watched-page.ts'

const imageFile = (name: string) => new URL(`../../docs/images/${name}.png`, import.meta.url).pathname

/** The first GraphQL query of the README. */
const readmeQuery = () => /```graphql\n(.*?)```/s.exec(textOfFile('README.md'))?.[1] ?? ''

let folder: string
let server: ServerProcess
let browser: Browser
let context: BrowserContext
beforeAll(async () => {
  if (chromiumPath === undefined) throw new Error('The screenshots need Chromium: set CHROMIUM to its path.')
  folder = await mkdtemp(join(tmpdir(), 'rookery-screenshots-'))
  server = await startRookery({ DATA_DIR: folder })
  browser = await launchChromium(chromiumPath)
  context = await browser.newContext({ viewport: { width: 1280, height: 720 }, colorScheme: 'light' })
})
afterAll(async () => {
  await browser?.close()
  await endProcesses()
  await rm(folder, { recursive: true })
})

test('GraphiQL with the result of a nested query', async () => {
  const { page, play, textOf } = await openGraphiQL(context, server.origin, { query: readmeQuery() })
  await play()
  await expect.poll(() => textOf('response'), { timeout: 20_000 }).toContain('replies')
  await page.screenshot({ path: imageFile('graphiql') })
})

test('the timeline with the query behind it', async () => {
  const { page } = await watchedPage(context, server.origin)
  await page.goto(`${server.origin}/timeline`)
  await page.locator('#list article').first().waitFor()
  await barOf(page).untilItIs('@ada (demo)')
  await page.screenshot({ path: imageFile('timeline') })
})

test('the REST documentation with an open operation', async () => {
  const { page } = await watchedPage(context, server.origin)
  await page.goto(`${server.origin}/api/v1/docs`)
  const operation = page.locator('.opblock-get:has([data-path="/user"])')
  await operation.locator('.opblock-summary-control').click()
  await operation.getByRole('button', { name: 'Execute' }).click()
  await operation.locator('.live-responses-table .response-col_description .highlight-code').first().waitFor()
  await page.setViewportSize({ width: 1280, height: 1250 })
  await page.evaluate(`document.querySelector('.opblock.is-open').scrollIntoView()`)
  await page.screenshot({ path: imageFile('rest-docs'), animations: 'disabled' })
})
