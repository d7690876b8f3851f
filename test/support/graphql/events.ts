import { z } from 'zod'
import type { Person, TestApp } from '../app.ts'
import { authorization } from '../rest/call.ts'

const payload = z.object({
  data: z
    .object({
      changes: z.object({
        cursor: z.string(),
        kind: z.string(),
        uuid: z.string(),
        publication: z.object({ content: z.string(), viewerHasLiked: z.boolean() }).nullable(),
      }),
    })
    .nullish(),
  errors: z.array(z.looseObject({ extensions: z.object({ code: z.string() }) })).optional(),
})

/** A Server-Sent Event of a subscription. */
export type LiveEvent = { readonly event: string; readonly id?: string } & z.infer<typeof payload>

/** A subscription to changes as it is sent by default. */
export const liveChanges = `subscription ($of: ChangeFilter!, $after: String) {
  changes(of: $of, after: $after) { cursor kind uuid publication { content viewerHasLiked } }
}`

/** What a client subscribes to: by default to `liveChanges` of all posts. */
type Subscription = {
  readonly query?: string
  readonly variables?: Record<string, unknown>
  readonly headers?: Record<string, string>
  readonly signal?: AbortSignal
}

/** The response to a subscription. */
export function subscribe(
  { origin }: Pick<TestApp, 'origin'>,
  { token }: Pick<Person, 'token'>,
  { query = liveChanges, variables = {}, headers = {}, signal }: Subscription = {},
): Promise<Response> {
  return fetch(`${origin}/graphql`, {
    method: 'POST',
    headers: {
      accept: 'text/event-stream',
      'content-type': 'application/json',
      ...authorization(token),
      ...headers,
    },
    body: JSON.stringify({ query, variables: { of: { public: true }, ...variables } }),
    signal: signal ?? null,
  })
}

/** The events of a stream, without comments and positions. Throws when the connection is cut. */
export async function* eventsOf(response: Response): AsyncGenerator<LiveEvent> {
  for await (const { event, id, data } of blocksOf(response))
    if (event) yield { event, ...(id && { id }), ...(data && payload.parse(JSON.parse(data))) }
}

/** The fields of each block of a stream, as a parser of Server-Sent Events sees them. Throws when the connection is cut. */
export async function* blocksOf({ body }: Response) {
  let text = ''
  for await (const chunk of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const blocks = (text + chunk).split('\n\n')
    text = blocks.pop() ?? ''
    for (const block of blocks) {
      const [event, id, data] = ['event', 'id', 'data'].map((name) => fieldOf(block, name))
      yield { event, id, data }
    }
  }
}

const fieldOf = (block: string, name: string) => new RegExp(`^${name}: ?(.*)$`, 'm').exec(block)?.[1]

/** The next so many events of a stream. */
export async function take(events: AsyncGenerator<LiveEvent>, count: number): Promise<LiveEvent[]> {
  const taken: LiveEvent[] = []
  while (taken.length < count) {
    const { value, done } = await events.next()
    if (done) break
    taken.push(value)
  }
  return taken
}
