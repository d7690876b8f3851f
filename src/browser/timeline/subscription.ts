import { type DataOf, post } from '../graphql.ts'
import { eventsIn } from '../server-sent-events.ts'
import { authorization } from '../token.ts'

type Result<Data> = {
  readonly data?: Data | null
  readonly errors?: readonly { readonly extensions: { readonly code: string } }[]
}

/** The time before a connection that was cut is opened again, in milliseconds. */
const pause = 1_000

/**
 * Shows the changes that a subscription sends after a cursor, until the function that it returns is called. A hidden page has no
 * stream, because browsers open few connections to one server.
 */
export function follow<const Source extends string>(
  query: Source,
  cursor: string,
  show: (data: DataOf<Source>) => void,
): () => void {
  let after = cursor
  let control = new AbortController()

  /** Returns whether to connect again. */
  async function read(signal: AbortSignal): Promise<boolean> {
    const headers = { Accept: 'text/event-stream', 'Content-Type': 'application/json', ...authorization() }
    const response = await post({ query, variables: { after } }, headers, signal)
    if (!response.ok || !response.body) return response.status === 429 || response.status >= 500
    for await (const { id, result } of eventsIn(response.body)) {
      after = id ?? after
      if (!result) continue
      const { data, errors }: Result<DataOf<Source>> = result
      // What came after the cursor may be lost.
      if (errors?.[0]?.extensions.code === 'CURSOR_EXPIRED') location.reload()
      if (errors || !data) return false
      show(data)
    }
    return true
  }

  async function resume(): Promise<void> {
    control.abort()
    control = new AbortController()
    const { signal } = control
    while (!document.hidden && !signal.aborted && (await read(signal).catch(() => true)))
      await new Promise((resolve) => setTimeout(resolve, pause))
  }

  document.addEventListener('visibilitychange', resume)
  resume()
  return () => {
    document.removeEventListener('visibilitychange', resume)
    control.abort()
  }
}
