import { createHash } from 'node:crypto'
import { z } from 'zod'
import { makeApplication, makeToken } from '../access-tokens.ts'
import type { TestApp } from '../app.ts'
import { publish } from '../publish.ts'
import { sendRaw } from '../raw-request.ts'
import { personOf, signUp } from '../sign-in.ts'
import { ids } from '../small-network.ts'
import type { Known } from './parts.ts'

/** An account with secrets, each of which would be recognised in a response to somebody else. */
export type Neighbour = Known & {
  readonly token: string
  /** Texts that only the neighbour may see, or nobody. */
  readonly secrets: readonly string[]
  /** Global ids of the neighbour's access tokens. */
  readonly tokenIds: readonly string[]
}

const done = z.object({ data: z.object({ updateProfile: z.object({ viewer: z.object({ email: z.string() }) }) }) })

/** Creates the neighbour, with tokens, an application, a deleted and an edited post, and results that are kept for retries. */
export async function createNeighbour(app: TestApp): Promise<Neighbour> {
  const email = 'private.mail@neighbour.example'
  const password = 'private password of the neighbour'
  const person = personOf(await signUp(app, { username: 'neighbour', email, password }))
  const { token } = person
  const made = await makeToken(app, token, { name: 'private token name' })
  await makeApplication(app, token, { name: 'private application', website: 'https://private.neighbour.example/' })

  const deleted = await publish(app, person, { content: 'private since its deletion' })
  await app.rest(token, 'DELETE', `/post/${deleted}`)
  const edited = await publish(app, person, { content: 'private since its edit' })
  await app.rest(token, 'PATCH', `/post/${edited}`, { content: 'Edited' })

  const keys = ['key-of-the-neighbour', '"key-of-the-neighbour-too"']
  const retried = JSON.stringify({ query: 'mutation { updateProfile(input: { bio: "Hello" }) { viewer { email } } }' })
  for (const key of keys) {
    const headers = { 'content-type': 'application/json', 'idempotency-key': key }
    const sent = { method: 'POST', path: '/graphql', token, headers, pieces: [retried] }
    done.parse(JSON.parse((await sendRaw(app.origin, sent)).body))
  }
  const reads = [await app.rest(token, 'GET', '/user'), await app.rest(token, 'GET', `/post/${ids.bobPost}`)]

  const { passwordHash } = await app.database.write.prisma.user.findUniqueOrThrow({ where: { id: person.id } })
  const hashes = [token, made.token].map((each) => createHash('sha256').update(each))
  return {
    token,
    secrets: [
      ...[email, password, token, made.token, 'private token name', 'private application', 'private.neighbour.example'],
      ...['private since its deletion', 'private since its edit'],
      passwordHash ?? 'no hash',
      ...hashes.flatMap((hash) => [hash.copy().digest('hex'), hash.digest('base64url')]),
    ],
    tokenIds: [made.id],
    keys,
    retried,
    tags: reads.map(({ headers }) => headers.get('etag') ?? 'no tag'),
  }
}
