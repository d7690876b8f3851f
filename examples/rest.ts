/*
 * Uses the documented REST interface, with types from its OpenAPI document: reads posts of accounts that you follow, sends a
 * post, likes it, replies to it, gets an error, and deletes what it sent. Each request is printed with its response.
 *
 * Start the server in one terminal. In another one, run the example with the token that the server prints:
 *
 *   npm ci && npm start
 *   ROOKERY_TOKEN=rookery_… npm run example -- rest
 *
 * For a server at another address than http://127.0.0.1:4000, set ROOKERY_URL.
 */
import createClient, { type Client, type Middleware } from 'openapi-fetch'
import { Complaint, type Connection, refusedToken, run, unreachable } from './connection.ts'
import type { components, paths } from './generated/openapi.d.ts'
import { beginning, columns, plain, styled } from './text.ts'

type Schemas = components['schemas']

/** Any of the problem documents (RFC 9457) that errors are responses with. Their `code` tells them apart. */
type Problem = Extract<Schemas[keyof Schemas], { readonly code: string; readonly detail: string }>

const say = (text: string) => process.stdout.write(`${text}\n`)
const indented = (text: string) => say(`        ${text}`)

/** Prints each request with the status of its response. */
const showing: Middleware = {
  onResponse({ request, response }) {
    const path = decodeURIComponent(request.url.replace(/^.*?(?=\/api\/v1)/, ''))
    const status = styled(response.ok ? 'green' : 'yellow', String(response.status))
    say(`${status}  ${styled('bold', request.method.padEnd(6))} ${styled('dim', path)}`)
  },
  onError: ({ request }) => unreachable(new URL(request.url).origin),
}

/**
 * The data of a response.
 *
 * @throws {Complaint} the problem, when there is one
 */
function dataOf<Data>({ data, error }: { data?: Data; error?: Problem }): Data {
  if (data !== undefined) return data
  if (error?.code === 'UNAUTHENTICATED' || error?.code === 'INSUFFICIENT_SCOPE') throw refusedToken(error.detail)
  throw new Complaint(`The server refused the request: ${error?.detail ?? 'it gave no reason.'}`)
}

function showProblem({ code, detail, ...problem }: Problem): void {
  indented(`${styled('yellow', code)}  ${plain(detail)}`)
  // Only problems with this code list errors by field.
  if ('errors' in problem) for (const { field, message } of problem.errors) indented(`  ${field}: ${plain(message)}`)
}

type Network = Client<paths>

/** The interface has no timeline, so this reads the posts of some accounts that a user follows. */
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

/** Likes a post and replies to it. The second reply is refused, and the first one deleted. */
async function discuss(network: Network, uuid: string): Promise<void> {
  const { action } = dataOf(await network.POST('/post/{uuid}/like', { params: { path: { uuid } } }))
  indented(`It is ${action}.`)

  const { reply } = dataOf(await network.POST('/reply', { body: { parent: uuid, content: 'And hello again.' } }))
  try {
    const path = { uuid, page: 1 }
    const { post, replies } = dataOf(await network.GET('/post/{uuid}/replies/{page}', { params: { path } }))
    indented(`♥ ${post.like_count}  ↳ ${post.reply_count}`)
    for (const { author, content } of replies) indented(`${styled('dim', '│')} @${author.username}: ${plain(content)}`)

    // An error is a response too, with a type of its own.
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
