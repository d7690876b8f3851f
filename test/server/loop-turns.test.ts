import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { AcceptedConnections } from '../../src/server/turns/connections-first.ts'
import { LoopTurns } from '../../src/server/turns/loop-turns.ts'
import type { Owner } from '../../src/server/turns/shared-lines.ts'
import { portOf } from '../support/port.ts'

const account = (name: string): Owner => ({ account: name, hasToken: true })
const [ada, bob, eve] = [account('ada'), account('bob'), account('eve')]

/** Occupies the event loop for longer than a turn may take. */
function occupyLoop(milliseconds = 20): void {
  const end = performance.now() + milliseconds
  while (performance.now() < end);
}

/** Two connections to a server of this process, each with both of its ends. */
async function openConnections() {
  const server = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const port = portOf(server)
  const open = async () => {
    const accepted: Promise<Socket[]> = once(server, 'connection')
    const client = connect(port, '127.0.0.1')
    onTestFinished(() => void client.destroy())
    const [end] = await accepted
    if (end === undefined) throw new TypeError('There is no connection')
    return { client, end }
  }
  return [await open(), await open()] as const
}

test('a step that waits for its turn resumes after what arrived meanwhile is read', async () => {
  const turns = new LoopTurns(new AcceptedConnections())
  const [first, second] = await openConnections()
  const seen: string[] = []
  let isFirstStepAtOnce = false
  second.end.on('data', () => seen.push('health check'))
  first.end.on('data', () => {
    isFirstStepAtOnce = turns.next(ada) === undefined
    second.client.write('health check')
    occupyLoop()
    void turns.next(ada)?.then(() => seen.push('next step'))
  })
  first.client.write('expensive request')
  await expect.poll(() => seen).toEqual(['health check', 'next step'])
  expect(isFirstStepAtOnce).toBe(true)
})

test('expensive steps that wait run in turns of their own', async () => {
  const turns = new LoopTurns(new AcceptedConnections())
  const iterations: number[] = []
  let iteration = 0
  const counting = setInterval(() => (iteration += 1), 0)
  onTestFinished(() => clearInterval(counting))
  const step = async () => {
    await turns.next(ada)
    // The expensive part of a step may follow several others.
    for (let nth = 0; nth < 10; nth += 1) await undefined
    occupyLoop()
    iterations.push(iteration)
  }
  await turns.next(ada)
  occupyLoop()
  await Promise.all([step(), step(), step(), step()])
  expect(new Set(iterations).size).toBe(4)
})

/** Lets the event loop go round so often, with a clock that stands still. */
async function goRound(times = 50): Promise<void> {
  for (let time = 0; time < times; time += 1) await setImmediate()
}

/** Has five steps of 10 milliseconds each wait for their turn, by a clock that the test advances. The result counts those that have ended. */
async function beginLongSteps(turns: LoopTurns, owner: Owner): Promise<() => number> {
  let ended = 0
  const step = async () => {
    await turns.next(owner)
    vi.advanceTimersByTime(10)
    ended += 1
  }
  await turns.next(owner)
  vi.advanceTimersByTime(20)
  for (let nth = 0; nth < 5; nth += 1) void step()
  await goRound()
  return () => ended
}

describe('the long steps of an account', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['performance', 'setTimeout'] }))
  afterEach(() => void vi.useRealTimers())

  test('follow each other at once if no other account is active', async () => {
    const ended = await beginLongSteps(new LoopTurns(new AcceptedConnections()), ada)
    expect(ended()).toBe(5)
  })

  test('leave half of the time to other accounts that are active', async () => {
    const turns = new LoopTurns(new AcceptedConnections())
    await turns.next(bob)
    const ended = await beginLongSteps(turns, ada)
    expect(ended()).toBe(1)
    vi.advanceTimersByTime(9)
    await goRound()
    expect(ended()).toBe(1)
    vi.advanceTimersByTime(1)
    await goRound()
    expect(ended()).toBe(2)
  })
})

test('an account with short steps gets more turns than one with long steps', async () => {
  const turns = new LoopTurns(new AcceptedConnections())
  const order: string[] = []
  const step = async (owner: Owner, duration: number) => {
    await turns.next(owner)
    occupyLoop(duration)
    order.push(owner.account)
  }
  await turns.next(eve)
  occupyLoop()
  await Promise.all(Array.from({ length: 40 }, (_, nth) => (nth % 2 === 0 ? step(ada, 1.5) : step(bob, 0.1))))
  expect(order.lastIndexOf('bob')).toBeLessThan(30)
})

test.each([
  ['an account', 'a thousand addresses without a token', true],
  ['an address without a token', 'a thousand accounts', false],
])('%s does not wait for the requests of %s', async (_one, _others, hasToken) => {
  const turns = new LoopTurns(new AcceptedConnections())
  const order: string[] = []
  const step = async (owner: Owner, duration: number) => {
    await turns.next(owner)
    occupyLoop(duration)
    order.push(owner.account)
  }
  await turns.next(eve)
  occupyLoop()
  const others = Array.from({ length: 1_000 }, (_, at) => ({ account: `other ${at}`, hasToken: !hasToken }))
  const one = { account: 'one', hasToken }
  const all = [...others.map((other) => step(other, 0.5)), ...Array.from({ length: 20 }, () => step(one, 0.5))]
  await Promise.all(all)
  expect(order.lastIndexOf('one')).toBeLessThan(500)
})

test('a request that has begun goes on before others of its account begin', async () => {
  const turns = new LoopTurns(new AcceptedConnections())
  let begun = 0
  let ended = 0
  let most = 0
  const request = async () => {
    await turns.begin(ada)
    begun += 1
    most = Math.max(most, begun - ended)
    for (const _step of [1, 2]) {
      occupyLoop(5)
      await turns.next(ada)
    }
    ended += 1
  }
  await turns.next(ada)
  occupyLoop()
  await Promise.all(Array.from({ length: 20 }, request))
  expect(most).toBe(1)
})
