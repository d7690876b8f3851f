import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { TimeShares, type Use, unrestricted } from '../../src/data/time-shares.ts'
import { stopClock } from '../support/fair-queue.ts'

const limits = { share: 0.5, burst: 0, longestPause: 60_000 }
const sideBySide = { ...limits, inProgress: { unlimited: 2, busy: 2, longestWait: 1_000, catchUp: 10 } }

beforeEach(stopClock)

afterEach(() => {
  vi.useRealTimers()
})

/** Jobs of an account arrive. Returns its use. */
function enter(shares: TimeShares, account: string, jobs: number): Use {
  for (let job = 1; job < jobs; job += 1) shares.enter(account)
  return shares.enter(account)
}

test('an account pauses if it has many jobs in progress and recently had more than all others together', () => {
  const shares = new TimeShares(sideBySide)
  const uses = [enter(shares, 'ada', 5), enter(shares, 'bob', 2), enter(shares, 'eve', 2)]
  vi.advanceTimersByTime(100)
  for (const use of uses) shares.end(use, 100, false)
  expect(shares.restrictionOf('ada')).toMatchObject({ runsOneAtATime: true })
  expect(shares.restrictionOf('ada').pause).toBeGreaterThan(0)
  expect(shares.restrictionOf('bob')).toEqual(unrestricted)
  enter(shares, 'bob', 20)
  vi.advanceTimersByTime(60)
  expect(shares.restrictionOf('ada')).toEqual(unrestricted)
  expect(shares.restrictionOf('bob').pause).toBeGreaterThan(0)
})

test('an account with few jobs in progress does not pause, however much time they take', () => {
  const shares = new TimeShares(sideBySide)
  const ada = enter(shares, 'ada', 3)
  vi.advanceTimersByTime(10_000)
  shares.end(ada, 10_000, false)
  expect(shares.restrictionOf('ada')).toEqual(unrestricted)
  shares.enter('ada')
  expect(shares.restrictionOf('ada').pause).toBeGreaterThan(0)
  shares.leave(ada)
  expect(shares.restrictionOf('ada')).toEqual(unrestricted)
})

test('an account whose jobs wait for those of another that has more in progress does not pause', () => {
  const shares = new TimeShares(sideBySide)
  const [ada, bob] = [enter(shares, 'ada', 10), enter(shares, 'bob', 5)]
  vi.advanceTimersByTime(300)
  shares.end(bob, 300, false)
  expect(shares.restrictionOf('bob')).toEqual(unrestricted)
  for (let job = 0; job < 10; job += 1) shares.leave(ada)
  vi.advanceTimersByTime(10_000)
  shares.end(bob, 300, false)
  expect(shares.restrictionOf('bob').pause).toBeGreaterThan(0)
})

test('an account does not pause while another busy account ends more jobs', () => {
  const shares = new TimeShares(sideBySide)
  const [ada, bob] = [enter(shares, 'ada', 8), enter(shares, 'bob', 6)]
  vi.advanceTimersByTime(1_000)
  shares.end(ada, 1_000, false)
  expect(shares.restrictionOf('ada').pause).toBeGreaterThan(0)
  for (let job = 0; job < 2; job += 1) shares.end(bob, 0, false)
  expect(shares.restrictionOf('ada')).toEqual(unrestricted)
  // With two in progress, it is not busy any more.
  for (let job = 0; job < 2; job += 1) shares.end(bob, 0, false)
  expect(shares.restrictionOf('ada').pause).toBeGreaterThan(0)
})

test('without limits of jobs in progress, accounts are compared by the time that they were served', () => {
  const shares = new TimeShares(limits)
  const [ada, bob] = [enter(shares, 'ada', 1), enter(shares, 'bob', 10)]
  vi.advanceTimersByTime(120)
  shares.end(bob, 100, false)
  shares.end(ada, 120, false)
  expect(shares.restrictionOf('bob')).toEqual(unrestricted)
  expect(shares.restrictionOf('ada').pause).toBeGreaterThan(0)
})

test('jobs of a forgotten account are not counted as those of its later use', () => {
  const shares = new TimeShares(sideBySide)
  const forgotten = enter(shares, 'ada', 5)
  for (let other = 0; other < 1_000; other += 1) shares.enter(`other ${other}`)
  expect(shares.jobsOf('ada')).toBe(0)
  enter(shares, 'ada', 3)
  shares.leave(forgotten)
  expect(shares.jobsOf('ada')).toBe(3)
})
