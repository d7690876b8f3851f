import type { Browser, BrowserContext } from 'playwright-core'
import { type WatchedPage, watchedPage } from './watched-page.ts'

/** GraphiQL in a browser. */
export type OpenGraphiQL = WatchedPage & {
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
  const watched = await watchedPage(browser, origin)
  const { page } = watched
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
      // The editor shows spaces that do not break.
      return (await page.locator(parts[part]).first().innerText()).replaceAll('\u00a0', ' ')
    },
  }
}
