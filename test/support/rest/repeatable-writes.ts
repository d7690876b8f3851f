import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../../../src/engine/data/database.ts'
import { wrongCounters } from '../database/counters.ts'
import { sendRaw } from '../http/raw-request.ts'

/** What a write is about: somebody's post, and a content and a uuid that nothing else has. */
export type Subject = { readonly post: string; readonly content: string; readonly uuid: string }

/** A request of one of the APIs, always a POST. */
export type WriteRequest = { readonly path: string; readonly body: object | undefined }

/** A write that its client may repeat, by its key or by its uuid, and what is stored when it was done once. */
export type RepeatableWrite = {
  readonly what: string
  readonly isKeyed: boolean
  readonly request: (subject: Subject) => WriteRequest
  readonly done: State
}

/** The stored data of a subject. */
export type State = { readonly sent: number; readonly replies: number; readonly likes: number }

const rest = (path: string, body?: object): WriteRequest => ({ path: `/api/v1${path}`, body })
const graphql = (mutation: string): WriteRequest => ({ path: '/graphql', body: { query: `mutation { ${mutation} }` } })

const aPost = { sent: 1, replies: 0, likes: 0 }
const aReply = { sent: 1, replies: 1, likes: 0 }
const aLike = { sent: 0, replies: 0, likes: 1 }

/** Writes of both APIs. */
export const repeatableWrites: readonly RepeatableWrite[] = [
  {
    what: 'a post with a key, over REST',
    isKeyed: true,
    request: ({ content }) => rest('/post', { content }),
    done: aPost,
  },
  {
    what: 'a toggled like with a key, over REST',
    isKeyed: true,
    request: ({ post }) => rest(`/post/${post}/like`),
    done: aLike,
  },
  {
    what: 'a toggled like with a key, over GraphQL',
    isKeyed: true,
    request: ({ post }) => graphql(`toggleLike(input: { uuid: "${post}" }) { action publication { likeCount } }`),
    done: aLike,
  },
  {
    what: 'a post with a uuid, over REST',
    isKeyed: false,
    request: ({ content, uuid }) => rest('/post', { content, uuid }),
    done: aPost,
  },
  {
    what: 'a reply with a uuid, over GraphQL',
    isKeyed: false,
    request: ({ post, content, uuid }) =>
      graphql(
        `sendReply(input: { parent: "${post}", content: "${content}", uuid: "${uuid}" }) { reply { uuid createdAt } }`,
      ),
    done: aReply,
  },
]

/** The response to a write. */
export type WriteAnswer = {
  /** `OK`, or the code of the error. */
  readonly code: string
  readonly status: number | undefined
  readonly isReplay: boolean
  readonly retryAfter: string | undefined
  readonly body: string
}

/** Sends a write over a connection of its own. Rejects if the connection breaks before the response is complete. */
export async function sendWrite(
  origin: string,
  token: string,
  { path, body }: WriteRequest,
  key?: string,
): Promise<WriteAnswer> {
  const answer = await sendRaw(origin, {
    method: 'POST',
    path,
    token,
    headers: { ...(body && { 'content-type': 'application/json' }), ...(key && { 'idempotency-key': key }) },
    pieces: body ? [JSON.stringify(body)] : [],
  })
  const { status, headers } = answer
  const [, code = 'OK'] = /"code":"(\w+)"/.exec(answer.body) ?? []
  const retryAfter = headers['retry-after']
  return {
    code,
    status,
    isReplay: headers['idempotency-replayed'] === 'true',
    retryAfter: retryAfter === undefined ? undefined : String(retryAfter),
    body: answer.body,
  }
}

/** Sends a write again for as long as the response has `Retry-After`. Rejects if it is refused otherwise. */
export async function sendUntilDone(...request: Parameters<typeof sendWrite>): Promise<WriteAnswer> {
  for (;;) {
    const answer = await sendWrite(...request)
    if (answer.code === 'OK') return answer
    if (answer.retryAfter === undefined) throw new Error(`It must not be sent again: ${answer.body}`)
    await sleep(Number(answer.retryAfter) * 1_000)
  }
}

/** What is stored of a subject. Throws if a counter differs from what it counts. */
export async function stateOf(database: Database, { post, content }: Subject): Promise<State> {
  const { prisma } = database.write
  const wrong = await wrongCounters(database)
  if (wrong.length > 0) throw new Error(`Counters are wrong: ${JSON.stringify(wrong)}`)
  return {
    sent: await prisma.publication.count({ where: { content } }),
    replies: await prisma.publication.count({ where: { parentId: post } }),
    likes: await prisma.like.count({ where: { publicationId: post } }),
  }
}
