import { expect, test } from 'vitest'
import { TimeShares } from '../../src/data/time-shares.ts'

const limits = { share: 0.5, burst: 0, longestPause: 60_000, unlimited: 2 }

test('an account pauses if its jobs took more time than those of all others together', () => {
  const shares = new TimeShares(limits)
  for (const other of ['bob', 'eve']) shares.add(other, { served: 2_000, spent: 2_000 }, false)
  shares.add('ada', { served: 1_000, spent: 5_000 }, false)
  expect(shares.restrictionOf('ada').pause).toBeGreaterThan(0)
  expect(shares.restrictionOf('bob').pause).toBe(0)
  shares.add('bob', { served: 10, spent: 2_000 }, false)
  expect(shares.restrictionOf('ada').pause).toBe(0)
})

test('an account with few jobs in progress on average does not pause, however slow they are', () => {
  const shares = new TimeShares(limits)
  shares.add('ada', { served: 1_000, spent: 1_900 }, false)
  expect(shares.restrictionOf('ada').pause).toBe(0)
  shares.add('ada', { served: 10, spent: 300 }, false)
  expect(shares.restrictionOf('ada').pause).toBeGreaterThan(0)
})
