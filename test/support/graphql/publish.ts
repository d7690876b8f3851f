import { z } from 'zod'
import type { Person, TestApp } from '../app.ts'

const sent = z.object({ sendPost: z.object({ publication: z.object({ uuid: z.uuid() }) }) })

/** Sends a post, or with `parent` a reply, and returns its UUID. */
export async function publish(
  app: TestApp,
  { token }: Pick<Person, 'token'>,
  more: {
    content?: string
    parent?: string
    locked?: boolean
    uuid?: string
    audience?: string
    warning?: string
    language?: string
    quote?: string
    quotable?: boolean
  } = {},
): Promise<string> {
  const { data } = await app.graphql(
    token,
    'mutation ($input: SendPostInput!) { sendPost(input: $input) { publication { uuid } } }',
    { input: { content: 'Hello', ...more } },
  )
  return sent.parse(data).sendPost.publication.uuid
}

/** Creates this many accounts, each with a token. */
export async function people(app: TestApp, count: number): Promise<Person[]> {
  return Promise.all(Array.from({ length: count }, () => app.person()))
}
