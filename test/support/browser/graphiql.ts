import type { Browser, BrowserContext } from 'playwright-core'
import { type WatchedPage, watchedPage } from './watched-page.ts'

/** GraphiQL in a browser. */
export type OpenGraphiQL = WatchedPage & {
  reload(): Promise<void>
  /** Presses the play button, and returns the request and the response. */
  play(): Promise<{ authorization: string | undefined; body: unknown }>
  /** The visible text of an editor or of the result. */
  textOf(part: 'query' | 'variables' | 'headers' | 'response'): Promise<string>
}

const parts = {
  query: '.graphiql-query-editor .view-lines',
  variables: '.graphiql-editor-tool .graphiql-editor:not(.hidden) .view-lines',
  headers: '.graphiql-editor-tool .graphiql-editor:not(.hidden) .view-lines',
  response: '.graphiql-response .view-lines',
} as const

/** Opens GraphiQL in a new tab, and waits until it has loaded the schema and shows a query. */
export async function openGraphiQL(
  browser: Browser | BrowserContext,
  origin: string,
  parameters: Readonly<Record<string, string>> = {},
): Promise<OpenGraphiQL> {
  const watched = await watchedPage(browser, origin)
  const { page } = watched
  const answerTo = (isIntrospection: boolean) =>
    page.waitForResponse((response) => {
      const body = response.request().postData()
      // The bar at the top asks whose token it is.
      return body !== null && !body.includes('query Viewer') && body.includes('IntrospectionQuery') === isIntrospection
    })
  const untilReady = async (navigate: () => Promise<unknown>) => {
    const schema = answerTo(true)
    await navigate()
    await schema
    await page.locator(parts.query).filter({ hasText: /\S/ }).waitFor()
  }
  await untilReady(() => page.goto(`${origin}/graphql?${new URLSearchParams(parameters)}`))

  return {
    ...watched,
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
      // The editor shows non-breaking spaces.
      return (await page.locator(parts[part]).first().innerText()).replaceAll('\u00a0', ' ')
    },
  }
}
