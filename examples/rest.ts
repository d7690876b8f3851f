/*
 * The documented REST interface, with types from its OpenAPI document: reads what those whom you follow posted, sends a
 * post, likes it, replies to it, is refused, and takes away what it sent. Each request is printed with its answer.
 *
 * In one terminal start the server; take the token that it prints to another one:
 *
 *   npm ci && npm start
 *   ROOKERY_TOKEN=rookery_… npm run example:rest
 *
 * ROOKERY_URL names another server than http://127.0.0.1:4000.
 */
import createClient, { type Client, type Middleware } from 'openapi-fetch'
import { Complaint, type Connection, refusedToken, run, unreachable } from './connection.ts'
import type { components, paths } from './generated/openapi.d.ts'
import { beginning, columns, plain, styled } from './text.ts'

type Schemas = components['schemas']

/** Any of the problem documents (RFC 9457) that a refusal is answered with; `code` tells them apart. */
type Problem = Extract<Schemas[keyof Schemas], { readonly code: string; readonly detail: string }>

const say = (text: string) => process.stdout.write(`${text}\n`)
const indented = (text: string) => say(`        ${text}`)

/** Prints each request with the status of its answer. */
const showing: Middleware = {
  onResponse({ request, response }) {
    const path = decodeURIComponent(request.url.replace(/^.*?(?=\/api\/v1)/, ''))
    const status = styled(response.ok ? 'green' : 'yellow', String(response.status))
    say(`${status}  ${styled('bold', request.method.padEnd(6))} ${styled('dim', path)}`)
  },
  onError: ({ request }) => unreachable(new URL(request.url).origin),
}

/**
 * The data of an answer.
 *
 * @throws {Complaint} the problem, when there is one
 */
function dataOf<Data>({ data, error }: { data?: Data; error?: Problem }): Data {
  if (data !== undefined) return data
  if (error?.code === 'UNAUTHENTICATED' || error?.code === 'INSUFFICIENT_SCOPE') throw refusedToken(error.detail)
  throw new Complaint(`The server refuses: ${error?.detail ?? 'it gives no reason.'}`)
}

function showProblem({ code, detail, ...problem }: Problem): void {
  indented(`${styled('yellow', code)}  ${plain(detail)}`)
  // Only a problem of this code says what is wrong with each field.
  if ('errors' in problem) for (const { field, message } of problem.errors) indented(`  ${field}: ${plain(message)}`)
}

type Network = Client<paths>

/** The interface has no timeline: it is made of the posts of those whom somebody follows. */
async function showTimeline(network: Network, user: string): Promise<void> {
  const { following } = dataOf(
    await network.GET('/user/{user}/following', { params: { path: { user }, query: { limit: 3 } } }),
  )
  const timeline: Pick<Schemas['Post'], 'author' | 'content' | 'created_at'>[] = []
  for (const { username } of following) {
    const path = { user: `@${username}`, page: 1 }
    const answer = await network.GET('/user/{user}/posts/{page}', { params: { path, query: { limit: 2 } } })
    timeline.push(...dataOf(answer).posts)
  }
  timeline.sort((one, other) => other.created_at - one.created_at)
  for (const { author, content } of timeline) {
    indented(`${styled('cyan', `@${author.username}`.padEnd(16))} ${beginning(content, columns - 25)}`)
  }
}

/** Likes a post and replies to it, once in vain. The reply goes again. */
async function discuss(network: Network, uuid: string): Promise<void> {
  const { action } = dataOf(await network.POST('/post/{uuid}/like', { params: { path: { uuid } } }))
  indented(`It is ${action}.`)

  const { reply } = dataOf(await network.POST('/reply', { body: { parent: uuid, content: 'And hello again.' } }))
  try {
    const path = { uuid, page: 1 }
    const { post, replies } = dataOf(await network.GET('/post/{uuid}/replies/{page}', { params: { path } }))
    indented(`♥ ${post.like_count}  ↳ ${post.reply_count}`)
    for (const { author, content } of replies) indented(`${styled('dim', '│')} @${author.username}: ${plain(content)}`)

    // A refusal is an answer too, with a type of its own.
    const { error } = await network.POST('/reply', { body: { parent: uuid, content: ' ' } })
    if (error) showProblem(error)
  } finally {
    dataOf(await network.DELETE('/reply/{uuid}', { params: { path: { uuid: reply.uuid } } }))
  }
}

async function rest({ url, token }: Connection): Promise<void> {
  const network = createClient<paths>({ baseUrl: `${url}/api/v1`, headers: { authorization: `Bearer ${token}` } })
  network.use(showing)

  const self = dataOf(await network.GET('/user'))
  indented(`You are ${plain(self.display_name)} @${self.username}, and follow ${self.following_count}.`)
  await showTimeline(network, self.uuid)

  const { uuid, content } = dataOf(await network.POST('/post', { body: { content: 'Hello from the REST example.' } }))
  try {
    indented(`“${plain(content)}”`)
    await discuss(network, uuid)
  } finally {
    dataOf(await network.DELETE('/post/{uuid}', { params: { path: { uuid } } }))
  }
  const { error } = await network.GET('/post/{uuid}', { params: { path: { uuid } } })
  if (error) showProblem(error)
}

await run(
  rest,
  'post.get post.send post.like post.delete reply.get reply.post reply.delete user.get user.following.get',
)
