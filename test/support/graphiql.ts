import type { Browser, BrowserContext, Page } from 'playwright-core'

/** GraphiQL in a browser. */
export type OpenGraphiQL = {
  readonly page: Page
  /** What went wrong in the page: errors and warnings of its console, violations of its policy among them. */
  readonly complaints: readonly string[]
  /** Addresses on another host that the page asked for. */
  readonly elsewhere: readonly string[]
  reload(): Promise<void>
  /** Presses the play button, and answers what was sent and what came back. */
  play(): Promise<{ authorization: string | undefined; body: unknown }>
  /** The text of an editor, or of the result, as far as it is in sight. */
  textOf(part: 'query' | 'variables' | 'headers' | 'response'): Promise<string>
}

const parts = {
  query: '.graphiql-query-editor .view-lines',
  variables: '.graphiql-editor-tool .graphiql-editor:not(.hidden) .view-lines',
  headers: '.graphiql-editor-tool .graphiql-editor:not(.hidden) .view-lines',
  response: '.graphiql-response .view-lines',
} as const

/** Opens GraphiQL in a tab of its own, and waits until it has read the schema. */
export async function openGraphiQL(
  browser: Browser | BrowserContext,
  origin: string,
  parameters: Readonly<Record<string, string>> = {},
): Promise<OpenGraphiQL> {
  const page = await browser.newPage()
  page.setDefaultTimeout(15_000)
  const complaints: string[] = []
  const elsewhere: string[] = []
  page.on('pageerror', (error) => complaints.push(String(error)))
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text())
  })
  page.on('request', (request) => {
    const { protocol, origin: asked } = new URL(request.url())
    if (protocol !== 'data:' && asked !== origin) elsewhere.push(request.url())
  })
  const answerTo = (isIntrospection: boolean) =>
    page.waitForResponse((response) => {
      const body = response.request().postData()
      return body !== null && body.includes('IntrospectionQuery') === isIntrospection
    })
  const untilReady = async (navigate: () => Promise<unknown>) => {
    const schema = answerTo(true)
    await navigate()
    await schema
  }
  await untilReady(() => page.goto(`${origin}/graphql?${new URLSearchParams(parameters)}`))

  return {
    page,
    complaints,
    elsewhere,
    reload: () => untilReady(() => page.reload()),
    play: async () => {
      const answer = answerTo(false)
      await page.getByRole('button', { name: 'Execute query' }).click()
      const response = await answer
      return { authorization: response.request().headers().authorization, body: await response.json() }
    },
    textOf: async (part) => {
      if (part === 'variables' || part === 'headers') {
        await page.getByRole('button', { name: part === 'headers' ? 'Headers' : 'Variables', exact: true }).click()
      }
      // The editor shows spaces that do not break.
      return (await page.locator(parts[part]).first().innerText()).replaceAll('\u00a0', ' ')
    },
  }
}
