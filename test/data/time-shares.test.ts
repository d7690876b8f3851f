import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { TimeShares, unrestricted } from '../../src/data/time-shares.ts'
import { stopClock } from '../support/fair-queue.ts'

const limits = { share: 0.5, burst: 0, longestPause: 60_000, unlimited: 2 }

beforeEach(stopClock)

afterEach(() => {
  vi.useRealTimers()
})

/** Lets an account run so many jobs side by side for so many milliseconds. */
function run(shares: TimeShares, account: string, jobs: number, time: number): void {
  for (let job = 0; job < jobs; job += 1) shares.enter(account)
  vi.advanceTimersByTime(time)
  shares.add(account, time, false)
  for (let job = 0; job < jobs; job += 1) shares.leave(account)
}

test('an account pauses if its jobs took more time than those of all others together', () => {
  const shares = new TimeShares(limits)
  for (const other of ['bob', 'eve']) run(shares, other, 1, 100)
  run(shares, 'ada', 5, 100)
  expect(shares.restrictionOf('ada')).toMatchObject({ runsOneAtATime: true })
  expect(shares.restrictionOf('ada').pause).toBeGreaterThan(0)
  expect(shares.restrictionOf('bob')).toEqual(unrestricted)
  for (let job = 0; job < 10; job += 1) shares.enter('bob')
  vi.advanceTimersByTime(60)
  expect(shares.restrictionOf('ada')).toEqual(unrestricted)
})

test('an account with few jobs in progress on average does not pause, however slow they are', () => {
  const shares = new TimeShares(limits)
  for (let time = 0; time < 10; time += 1) run(shares, 'ada', 2, 100)
  expect(shares.restrictionOf('ada')).toEqual(unrestricted)
  for (let time = 0; time < 10; time += 1) run(shares, 'ada', 4, 100)
  expect(shares.restrictionOf('ada').pause).toBeGreaterThan(0)
})

test('an account whose jobs wait for those of another that has more in progress does not pause', () => {
  const shares = new TimeShares(limits)
  for (let job = 0; job < 10; job += 1) shares.enter('ada')
  run(shares, 'bob', 5, 300)
  expect(shares.restrictionOf('bob')).toEqual(unrestricted)
  for (let job = 0; job < 10; job += 1) shares.leave('ada')
  vi.advanceTimersByTime(10_000)
  run(shares, 'bob', 5, 300)
  expect(shares.restrictionOf('bob').pause).toBeGreaterThan(0)
})

test('without a number of jobs, accounts are compared by the time that they were served', () => {
  const { unlimited, ...serial } = limits
  const shares = new TimeShares(serial)
  run(shares, 'bob', 10, 100)
  run(shares, 'ada', 1, 120)
  expect(shares.restrictionOf('bob')).toEqual(unrestricted)
  expect(shares.restrictionOf('ada').pause).toBeGreaterThan(0)
})
