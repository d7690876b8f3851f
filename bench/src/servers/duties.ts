import { createHash, randomUUID } from 'node:crypto'
import Fastify, { type FastifyRequest } from 'fastify'
import pg from 'pg'
import { hashToken } from '../../../src/engine/auth/viewers.ts'
import { commonHeaders } from '../../../src/engine/http/response.ts'
import { settings } from './child.ts'

// The floor with the duties of a public server: it checks the token, limits the requests of an account, ends what takes too long, logs each
// request under an id, and sends the same headers as Rookery and an entity tag.
const { databaseUrl, pool: max } = settings()
const pool = new pg.Pool({ connectionString: databaseUrl, max, options: '-c TimeZone=UTC' })
const statements = new Map<string, string>(Object.entries(JSON.parse(process.env.FLOOR_STATEMENTS ?? '{}')))

const limits = { atOnce: 64, response: 10_000, staleness: 5_000 } as const

type Session = { readonly viewer: Promise<string | undefined>; readonly until: number }
const sessions = new Map<string, Session>()

async function find(token: string): Promise<string | undefined> {
  const text = 'select user_id as id from access_tokens where hash = $1 and (expires_at is null or expires_at > now())'
  const { rows } = await pool.query<{ id: string }>({ name: 'session', text, values: [hashToken(token)] })
  return rows[0]?.id
}

/** The account of a token, as it was found at most five seconds ago. */
function viewerOf({ headers: { authorization = '' } }: FastifyRequest): Promise<string | undefined> {
  const [, token] = /^Bearer +(rookery_[\w-]{43})$/i.exec(authorization) ?? []
  if (token === undefined) return Promise.resolve(undefined)
  const known = sessions.get(token)
  if (known && known.until > performance.now()) return known.viewer
  const viewer = find(token)
  sessions.set(token, { viewer, until: performance.now() + limits.staleness })
  return viewer
}

/** How many requests of each account are in progress. */
const inProgress = new Map<string, number>()

const app = Fastify({ logger: { stream: process.stderr }, disableRequestLogging: true, genReqId: () => randomUUID() })

app.post<{ Params: { work: string }; Body: unknown[] }>('/:work', async (request, reply) => {
  const since = performance.now()
  reply.headers({ ...commonHeaders, 'x-request-id': request.id })
  const deadline = setTimeout(() => reply.code(503).send(), limits.response)
  const viewer = await viewerOf(request)
  const held = viewer === undefined ? 0 : (inProgress.get(viewer) ?? 0)
  try {
    if (viewer === undefined) return reply.code(401).send()
    if (held >= limits.atOnce) return reply.code(503).send()
    inProgress.set(viewer, held + 1)
    const { work } = request.params
    const query = { name: work, text: statements.get(work) ?? '', values: [viewer, ...request.body] }
    const { rows } = await pool.query<{ json: string }>(query).finally(() => leave(viewer))
    const body = Buffer.from(rows[0]?.json ?? 'null')
    const tag = createHash('sha256').update(body).digest('base64url')
    return reply.headers({ 'content-type': 'application/json; charset=utf-8', etag: `"${tag}"` }).send(body)
  } finally {
    clearTimeout(deadline)
    const { id: requestId, method, url: path } = request
    const ms = Math.round(performance.now() - since)
    request.log.info({ requestId, method, path, viewer, status: reply.statusCode, ms }, 'answered')
  }
})

function leave(viewer: string): void {
  const left = (inProgress.get(viewer) ?? 1) - 1
  if (left === 0) inProgress.delete(viewer)
  else inProgress.set(viewer, left)
}

process.stdout.write(`${await app.listen({ port: 0, host: '127.0.0.1' })}\n`)
