import { afterAll, beforeAll, expect, test } from 'vitest'
import { follows } from '../../../src/features/base/relations.ts'
import type { Line } from '../../../src/features/transfer/lines.ts'
import { type Person, startApp, type TestApp } from '../../support/app.ts'
import { wrongCounters } from '../../support/database/counters.ts'
import { publish } from '../../support/graphql/publish.ts'
import { setRelation } from '../../support/graphql/relations.ts'
import { importPublication } from '../../support/networks/imported-publication.ts'

let app: TestApp
// Bob and Cleo follow Ada, Dan does not.
let ada: Person
let bob: Person
let cleo: Person
let dan: Person
let parent: string
beforeAll(async () => {
  app = await startApp()
  ada = await app.person('ada')
  bob = await app.person('bob')
  cleo = await app.person('cleo')
  dan = await app.person('dan')
  for (const follower of [bob, cleo]) await setRelation(app, follower, follows, ada.id)
  parent = await publish(app, ada, { audience: 'FOLLOWERS' })
})
afterAll(() => app.close())

/** Imports a reply to the parent into an account. Returns it, and what the import reports. */
async function imported(account: Person, more: Partial<Line<'publication'>>) {
  const { uuid, problems } = await importPublication(app, account, { parent, content: 'Yes', ...more })
  const reply = await app.database.write.prisma.publication.findUnique({
    where: { id: uuid },
    select: { content: true, locked: true, audience: true, circleId: true, addressees: { orderBy: { userId: 'asc' } } },
  })
  return { uuid, problems, reply }
}

test.each(['everybody', 'followers', null] as const)(
  'an imported reply with the audience %s gets that of its parent, and all else from its line',
  async (audience) => {
    const { problems, reply } = await imported(bob, { audience, content: 'Mine', locked: true })
    expect(problems).toEqual([])
    expect(reply).toEqual({ content: 'Mine', locked: true, audience: 'FOLLOWERS', circleId: ada.id, addressees: [] })
    expect(await wrongCounters(app.database)).toEqual([])
  },
)

test('an imported reply for addressees is only for those who see its parent', async () => {
  const addressees = [bob, cleo, dan].map(({ id }) => id)
  const { uuid, reply } = await imported(bob, { audience: 'addressed', addressees })
  expect(reply).toMatchObject({ audience: 'ADDRESSED', circleId: uuid })
  expect(reply?.addressees.map(({ userId }) => userId)).toEqual([bob.id, cleo.id])
})

test('a reply of an account that does not see its parent is left out', async () => {
  const { problems, reply } = await imported(dan, {})
  expect(problems).toEqual([{ line: 1, problem: `${parent} takes no replies of this account.` }])
  expect(reply).toBeNull()
})
