import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { refusalPrice } from '../../../src/engine/auth/budgets.ts'
import { hashToken } from '../../../src/engine/auth/viewers.ts'
import type { Scope } from '../../../src/engine/scopes.ts'
import { commonScopes, scopes } from '../../../src/features/base/scopes.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { balanceOf } from '../../support/http/balance.ts'
import { createNetwork, idAt, network } from '../../support/networks/varied-network.ts'
import type { Viewer } from '../../support/reference/lookups.ts'
import { cursorOf } from '../../support/reference/pages.ts'
import { prismaAnswers, readsWithoutReference } from '../../support/reference/prisma-answers.ts'
import { randomQuery } from '../../support/reference/random-selection.ts'
import { globalIdOf, plainSchema } from '../../support/reference/schema.ts'

/** The seed, which `SEED` in the environment can set. A failure prints it. */
const seed = Number(process.env.SEED ?? 42)
const runs = 60
const dryRuns = 25
const notRunnable =
  /conflicting types|at most [\d,]+ (?:aliases|levels|directives|fields|characters|bytes|values)|costs at most|is too large|1000 tokens/

let app: TestApp
let answerWithPrisma: Awaited<ReturnType<typeof prismaAnswers>>
let viewers: (Viewer & { token: string })[]
beforeAll(async () => {
  app = await startApp()
  await createNetwork(app.database)
  const { id, username } = network.viewer
  // By its counter, this account follows so many that its timeline is read the other way.
  const [many] = network.users.filter((user) => user.id !== id)
  // Neither blocks nor is blocked, unlike the others.
  const open = network.users[2]
  if (!many || !open) throw new RangeError('There is nobody else')
  await app.database.write.prisma.user.update({ where: { id: many.id }, data: { followingCount: 1_000 } })
  const viewerOf = async (person: { readonly id: string; readonly username: string }, granted: readonly Scope[]) => {
    const token = await app.token({ ...person, token: '' }, granted)
    const { id } = await app.database.write.prisma.accessToken.findUniqueOrThrow({ where: { hash: hashToken(token) } })
    return {
      ...{ token, id: person.id, tokenId: id },
      readsEmail: granted.includes('user.email'),
      isModerator: granted.includes('moderation.manage'),
    }
  }
  viewers = [
    await viewerOf({ id, username }, scopes),
    await viewerOf({ id, username }, commonScopes),
    await viewerOf(
      { id, username },
      commonScopes.filter((scope) => scope !== 'user.email'),
    ),
    await viewerOf(many, commonScopes),
    await viewerOf(open, commonScopes),
  ]
  answerWithPrisma = await prismaAnswers(app.database)
})
afterAll(() => app.close())

const oneOf = (ids: readonly string[]) => fc.constantFrom(...ids)
const users = network.users.map(({ id }) => id)
const missing = idAt(9_999)
const uuid = fc.oneof(
  { weight: 9, arbitrary: oneOf(network.publications) },
  { weight: 1, arbitrary: oneOf([missing, ...network.publications.map((id) => id.toUpperCase())]) },
)
const pools = {
  size: fc.integer({ min: 0, max: 4 }),
  text: fc.constantFrom('quoted', 'Publication 8', '1', 'b', 'ada', 'nothing'),
  offset: fc.integer({ min: 0, max: 3 }),
  uuid,
  by: fc.oneof(
    oneOf([...users, missing]).map((id) => ({ uuid: id })),
    oneOf([...network.users.map(({ username }) => username), 'BOB', 'nobody']).map((username) => ({ username })),
  ),
  id: fc.oneof(
    ...Object.entries({
      Post: network.publications,
      Reply: network.publications,
      User: [...users, missing],
      Application: [...network.applications, missing],
      AccessToken: [...network.tokens, missing],
    }).map(([type, ids]) => oneOf(ids.map((id) => globalIdOf(type, id)))),
  ),
  name: oneOf(['#Weaving', 'looms', 'nothing', 'no hashtag']),
  cursor: fc.option(
    oneOf(
      [
        ...[...network.publications, ...network.relations, ...network.applications, ...network.tokens],
        ...[...network.reports, ...network.acts],
      ].map(cursorOf),
    ),
    { freq: 6 },
  ),
}

test('every field with a read has a reference resolver', () => {
  expect(readsWithoutReference(), 'test/support/reference/prisma-resolvers.ts has to resolve them').toEqual([])
})

/** The document with a field that only asks for its price. The operation is its first line. */
const asDryRun = (source: string) => source.replace(/ \}$/m, ' rateLimit(dryRun: true) { cost } }')

test('random selections cost exactly what a dry run says', async () => {
  await fc.assert(
    fc.asyncProperty(randomQuery(plainSchema, pools), async ({ source, variables }) => {
      const [viewer] = viewers
      if (!viewer) throw new RangeError('There is no such viewer')
      const { data, errors, headers } = await app.graphql(viewer.token, asDryRun(source), variables)
      const answer = await app.graphql(viewer.token, source, variables)
      const charged = balanceOf(headers).remaining - balanceOf(answer.headers).remaining
      if (errors.length > 0) {
        // With one more field it may be too large, though it is not without it.
        fc.pre(answer.errors.length > 0)
        expect(charged).toBe(refusalPrice)
      } else {
        expect(data).toEqual({ rateLimit: { cost: charged } })
      }
    }),
    { seed, numRuns: dryRuns, interruptAfterTimeLimit: 60_000 },
  )
})

test('random selections return the same data as the resolvers of plugin-prisma', async () => {
  const query = randomQuery(plainSchema, pools)
  await fc.assert(
    fc.asyncProperty(query, fc.constantFrom(0, 1, 2, 3, 4), async ({ source, variables, others }, index) => {
      const viewer = viewers[index]
      if (!viewer) throw new RangeError('There is no such viewer')
      // Its statements are cached after the first run.
      for (const sent of [variables, variables, others]) {
        const { data, errors } = await app.graphql(viewer.token, source, sent)
        // Skip queries that are too large, for moderators, or with fields of two types under one name.
        fc.pre(
          !errors.some(
            ({ message, extensions: { code } }) => notRunnable.test(message) || code === 'INSUFFICIENT_SCOPE',
          ),
        )
        expect(errors).toEqual([])
        expect({ data }).toEqual(await answerWithPrisma(viewer, source, sent))
      }
    }),
    { seed, numRuns: runs, maxSkipsPerRun: 2, interruptAfterTimeLimit: 60_000 },
  )
})
