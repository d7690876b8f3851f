import { expect, test } from 'vitest'
import { Random } from '../../../src/features/demo/random.ts'
import { startApp } from '../../support/app.ts'
import { settledCursor } from '../../support/graphql/changes.ts'
import { auditReads } from '../../support/visibility/audit.ts'
import { randomNetwork } from '../../support/visibility/network.ts'
import { Oracle } from '../../support/visibility/oracle.ts'

// The seed, which a failure names, can be set.
const seed = Number(process.env.SEED ?? Date.now() % 100_000)

test(`everybody finds what is for them and nobody anything else, in a random network with the seed ${seed}`, async () => {
  const app = await startApp()
  const start = await settledCursor(app, await app.person())
  const oracle = new Oracle(await randomNetwork(app, { people: 7, publications: 14 }, seed))
  await auditReads(oracle, start, { readers: 1, lists: 15, ways: 10, asAgent: 1 }, new Random(seed))
  expect(oracle.wrong).toEqual([])
  expect(oracle.reads).toBeGreaterThan(60)
  await app.close()
})
