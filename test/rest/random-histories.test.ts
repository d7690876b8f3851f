import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { scopes } from '../../src/scopes.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { accounts, everything, histories, newUsers, type Step } from '../support/network-model/histories.ts'
import { NetworkModel } from '../support/network-model/model.ts'
import { overRest } from '../support/network-model/over-rest.ts'
import type { User } from '../support/network-model/state.ts'
import { randomTest, timelyRuns } from '../support/random-runs.ts'
import { anyTime } from '../support/rest-answer.ts'

/** The seed, which `SEED` in the environment can set. A failure prints it. */
const seed = Number(process.env.SEED ?? 42)
const runs = 8

let app: TestApp
let tokens: string[]
beforeAll(async () => {
  app = await startApp({ budgets: undefined })
  await createAccounts()
})
afterAll(() => app.close())

async function createAccounts(): Promise<void> {
  const { prisma } = app.database.write
  await prisma.user.createMany({
    data: accounts.map(({ uuid, username, email, joined }) => ({
      id: uuid,
      username,
      displayName: username,
      email,
      joinedAt: new Date(joined * 1_000),
    })),
  })
  tokens = []
  for (const { uuid: id, username, application } of accounts) {
    if (application) {
      const { uuid, name, website } = application
      await prisma.application.create({ data: { id: uuid, ownerId: id, name, website } })
    }
    const more = application ? { applicationId: application.uuid } : {}
    tokens.push(await app.token({ id, username, token: '' }, scopes, more))
  }
}

/** Brings the accounts back to the start of a history. */
function removeHistory(): Promise<number> {
  return app.database.write.prisma.$executeRawUnsafe(`do $$ begin
    delete from likes; delete from follows; delete from publications;
    update users set follower_count = 0, following_count = 0;
  end $$`)
}

const identity = z.object({ uuid: z.uuid(), created_at: z.int() })
const none = { uuid: 'not sent', created_at: 0 }
const refusal = z.object({ refused: z.string() })

type History = { readonly users: readonly User[]; readonly model: NetworkModel; readonly met: Set<string> }

async function replay(steps: readonly Step[], { users, model, met }: History): Promise<void> {
  for (const { user, byAuthor, request } of steps) {
    const author = byAuthor ? model.authorOf(request) : undefined
    const index = author ? users.indexOf(author) : user
    const [viewer, token] = [users[index], tokens[index]]
    if (viewer === undefined || token === undefined) throw new RangeError(`There is no account ${user}`)
    const answer = await overRest(app, token, request, model.uuidOf)
    const sent = request.name === 'send' ? identity.safeParse(answer).data : undefined
    if (sent) expect(sent.created_at).toEqual(anyTime)
    expect({ user, request, answer }).toEqual({ user, request, answer: model.answer(viewer, request, sent ?? none) })
    const outcome = refusal.safeParse(answer).data?.refused ?? 'DONE'
    met.add(`${request.name}: ${outcome}`)
  }
}

/** What must have happened at least once. */
const expected = [
  ...['DONE', 'VALIDATION_FAILED', 'NOT_FOUND', 'POST_LOCKED'].map((outcome) => `send: ${outcome}`),
  ...['DONE', 'VALIDATION_FAILED', 'NOT_FOUND', 'FORBIDDEN'].map((outcome) => `edit: ${outcome}`),
  ...['DONE', 'NOT_FOUND', 'FORBIDDEN'].map((outcome) => `delete: ${outcome}`),
  ...['DONE', 'VALIDATION_FAILED', 'NOT_FOUND'].map((outcome) => `follow: ${outcome}`),
  ...['like', 'post', 'reply', 'user', 'replies', 'likers', 'posts', 'following', 'followers'].flatMap((name) =>
    ['DONE', 'NOT_FOUND'].map((outcome) => `${name}: ${outcome}`),
  ),
  ...['publications', 'viewer'].map((name) => `${name}: DONE`),
  'likes: DONE',
  'likes: FORBIDDEN',
]

test('random histories agree with a model in memory', randomTest, async () => {
  const met = new Set<string>()
  const property = fc.asyncProperty(histories, async (steps) => {
    await removeHistory()
    const users = newUsers()
    const history = { users, model: new NetworkModel(users), met }
    await replay(steps, history)
    await replay(everything(history.model.size, steps.length % users.length), history)
  })
  await fc.assert(property, { seed, numRuns: runs, ...timelyRuns })
  expect(expected.filter((it) => !met.has(it))).toEqual([])
})
