import { setTimeout } from 'node:timers/promises'
import fc from 'fast-check'
import { afterEach, expect, test, vi } from 'vitest'
import { Refusal } from '../../../src/engine/errors.ts'
import { type Parties, PasswordQueue } from '../../../src/features/accounts/passwords.ts'

afterEach(() => {
  vi.useRealTimers()
})

const refusal = () => new Refusal('UNAVAILABLE', 'Too many wait.')
const limits = { atOnce: 1, maxWaiting: 8, timeout: 60_000, refusal }

/** A queue whose only slot is taken until it is released, and the order in which it ran or refused the other jobs. */
function closedQueue(more: Partial<typeof limits> = {}) {
  const queue = new PasswordQueue({ ...limits, ...more })
  const done: string[] = []
  const refused: string[] = []
  let open = () => {}
  const gate = new Promise<void>((resolve) => {
    open = resolve
  })
  const all: Promise<unknown>[] = [queue.run(['gate', 'gate'], () => gate)]
  const ask = (name: string, ...parties: Parties) => {
    const work = async () => done.push(name)
    all.push(queue.run(parties, work).catch(() => refused.push(name)))
  }
  const settle = async () => {
    open()
    await Promise.all(all)
  }
  return { queue, ask, settle, done, refused }
}

test('jobs of equal requesters run in order of arrival', async () => {
  const { ask, settle, done } = closedQueue()
  for (const name of ['a', 'b', 'c']) ask(name, 'x', 'ada')
  await settle()
  expect(done).toEqual(['a', 'b', 'c'])
})

test.each<readonly [string, (nth: number) => Parties]>([
  ['one address that asks for one account', () => ['x', 'ada']],
  ['one address that asks for many accounts', (nth) => ['x', `account ${nth}`]],
  ['many addresses that ask for one account', (nth) => [`address ${nth}`, 'ada']],
])('%s: they wait behind everyone else', async (_what, parties) => {
  const { ask, settle, done, refused } = closedQueue()
  for (let nth = 0; nth < 8; nth += 1) ask('crowd', ...parties(nth))
  for (const name of ['grace', 'lise', 'emmy']) ask(name, `home of ${name}`, name)
  await settle()
  expect(done).toEqual(['grace', 'lise', 'emmy', 'crowd', 'crowd', 'crowd', 'crowd', 'crowd'])
  expect(refused).toEqual(['crowd', 'crowd', 'crowd'])
})

test('accounts take turns within an address, and addresses within an account', async () => {
  for (const swap of [false, true]) {
    const { ask, settle, done } = closedQueue()
    for (const name of ['a', 'a', 'a', 'b', 'b', 'c']) ask(name, swap ? name : 'x', swap ? 'x' : name)
    await settle()
    expect(done).toEqual(['a', 'b', 'c', 'a', 'b', 'a'])
  }
})

test('repeated requests gain no advantage, because a refusal counts as a turn', async () => {
  const { ask, settle, done } = closedQueue({ maxWaiting: 2 })
  for (let nth = 0; nth < 20; nth += 1) ask('hammer', `address ${nth % 5}`, 'ada')
  ask('owner', 'home', 'ada')
  ask('hammer', 'address 1', 'ada')
  await settle()
  expect(done).toContain('owner')
})

test('a failed job rejects with its error and frees its slot', async () => {
  const { queue, ask, settle, done } = closedQueue()
  const failing = queue.run(['x', 'ada'], () => Promise.reject(new Error('broken')))
  const throwing = queue.run(['x', 'ada'], () => {
    throw new Error('worse')
  })
  ask('next', 'x', 'ada')
  await Promise.all([expect(failing).rejects.toThrow('broken'), expect(throwing).rejects.toThrow('worse'), settle()])
  expect(done).toEqual(['next'])
})

test('no job waits longer than the limit of the queue', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  const { ask, settle, done, refused } = closedQueue({ timeout: 20 })
  ask('early', 'x', 'ada')
  vi.advanceTimersByTime(21)
  ask('late', 'y', 'grace')
  expect(refused).toEqual([])
  await settle()
  expect([done, refused]).toEqual([['late'], ['early']])
})

test('when one address or account fills the queue, everyone else is served next', async () => {
  const crowds = fc.array(fc.integer({ min: 0, max: 20 }), { minLength: 1, maxLength: 60 })
  const property = async (crowd: readonly number[], atOnce: number, swap: boolean) => {
    const queue = new PasswordQueue({ ...limits, atOnce })
    const started: string[] = []
    let [running, most] = [0, 0]
    const ask = (name: string, parties: Parties) =>
      queue.run(parties, async () => {
        started.push(name)
        running += 1
        most = Math.max(most, running)
        await setTimeout(0)
        running -= 1
      })
    const jobs = crowd.map((other) => ask('crowd', swap ? [`${other}`, 'x'] : ['x', `${other}`]))
    const settled = Promise.allSettled(jobs)
    const before = started.length
    await ask('newcomer', ['home', 'ada'])
    expect(started.indexOf('newcomer')).toBe(before)
    const refused = (await settled).filter(({ status }) => status === 'rejected').length
    expect(refused).toBe(Math.max(0, crowd.length + 1 - atOnce - limits.maxWaiting))
    expect(most).toBe(Math.min(atOnce, crowd.length + 1))
  }
  await fc.assert(fc.asyncProperty(crowds, fc.integer({ min: 1, max: 3 }), fc.boolean(), property), { numRuns: 50 })
})
