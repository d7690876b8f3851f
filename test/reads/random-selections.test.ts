import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { scopes } from '../../src/scopes.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { randomQuery } from '../support/random-selection.ts'
import { answerPlainly, cursorOf, globalIdOf, loadRows, plainSchema, type Rows } from '../support/reference.ts'
import { createNetwork, idAt, network } from '../support/varied-network.ts'

/** Another one, with `SEED` in the environment, draws other queries; a failure says which seed it had. */
const seed = Number(process.env.SEED ?? 42)
const runs = 150
const tooLarge = /at most \d+ (?:aliases|levels|directives|fields|characters|bytes)|costs at most|2000 tokens/

let app: TestApp
let rows: Rows
let viewers: { token: string; id: string; readsEmail: boolean }[]
beforeAll(async () => {
  app = await startApp()
  await createNetwork(app.database)
  const { id, username } = network.viewer
  const withoutEmail = scopes.filter((scope) => scope !== 'user.email')
  viewers = [
    { token: await app.token({ id, username, token: '' }, scopes), id, readsEmail: true },
    { token: await app.token({ id, username, token: '' }, withoutEmail), id, readsEmail: false },
  ]
  rows = await loadRows(app.database)
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
  cursor: fc.option(
    oneOf([...network.publications, ...network.follows, ...network.applications, ...network.tokens].map(cursorOf)),
    { freq: 6 },
  ),
}

test('random selections answer like plain, slow resolvers', async () => {
  const query = randomQuery(plainSchema, pools)
  await fc.assert(
    fc.asyncProperty(query, fc.constantFrom(0, 1), async ({ source, variables, others }, index) => {
      const viewer = viewers[index]
      if (!viewer) throw new RangeError('There is no such viewer')
      // Its statements are kept from the first time on.
      for (const sent of [variables, variables, others]) {
        const { data, errors } = await app.graphql(viewer.token, source, sent)
        // A query that is too large, rather than wrong, says nothing.
        fc.pre(!errors.some(({ message }) => tooLarge.test(message)))
        expect(errors).toEqual([])
        expect({ data }).toEqual(await answerPlainly(rows, viewer, source, sent))
      }
    }),
    { seed, numRuns: runs, maxSkipsPerRun: 1, interruptAfterTimeLimit: 60_000 },
  )
})
