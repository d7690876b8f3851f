import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import type { DatabaseOptions } from '../../src/engine/data/database.ts'
import { cursorOf } from '../support/reference/pages.ts'
import { differences, startCopies } from './copies.ts'
import { audit, contradictions, readChanges } from './history.ts'
import { type Ledger, runLoad, type Target } from './load.ts'
import { deleteNow } from './network.ts'
import { expectedOf, type Subscriber, startSubscribers } from './subscribers.ts'

/** How many connections the load has, and how long it runs before and after the fault, in milliseconds. */
const connections = 12
const calm = 1_500

/** The codes that are expected during a fault. */
const expectedCodes = new Set(['OK', 'UNAVAILABLE', 'OUTCOME_UNKNOWN', 'LOST'])

/**
 * Deletes an account and injects a fault under load. Expects that nothing is lost, doubled or miscounted, that every subscriber
 * sees each change once and in order, that copies of timelines are right, that no error is unexpected, and that requests succeed
 * again afterwards.
 */
export async function underLoad(
  target: Target,
  database: DatabaseOptions,
  inject: () => Promise<unknown>,
): Promise<Ledger & { readonly subscribers: readonly Subscriber[] }> {
  const before = await readChanges(database)
  const [quiet, stop, leave] = [new AbortController(), new AbortController(), new AbortController()]
  const ledger: Ledger = { writes: new Map(), codes: {} }
  const codes: Record<string, number> = {}
  const start = cursorOf(before.at(-1)?.id ?? '')
  const { subscribers, ended } = startSubscribers(target, start, codes, leave.signal)
  const { copies, ended: keeping } = startCopies(target, ledger, quiet.signal, leave.signal)
  const running = runLoad(target, ledger, connections, stop.signal)
  await sleep(calm)
  await deleteNow(database, target.fan)
  await inject()
  await sleep(calm)
  await untilWell(target)
  quiet.abort()
  // From then on only the feed keeps the copies.
  await expect.poll(() => copies.flatMap(({ due }) => due)).toEqual([])
  await sleep(calm)
  stop.abort()
  await running
  const changes = (await readChanges(database)).slice(before.length)
  const expected = subscribers.map((subscriber) => expectedOf(subscriber, changes))
  const lengths = (lists: readonly (readonly string[])[]) => lists.map(({ length }) => length)
  await expect.poll(() => lengths(subscribers.map(({ seen }) => seen))).toEqual(lengths(expected))
  for (const copy of copies) await expect.poll(() => differences(target, copy)).toEqual([])
  expect(copies.every(({ applied }) => applied > 0)).toBe(true)
  leave.abort()
  await Promise.all([ended, keeping])
  expect(subscribers.map(({ seen }) => seen)).toEqual(expected)
  const ofFan = changes.filter(({ actor }) => actor === target.fan)
  // Besides, it was hidden, and then gone.
  expect(ofFan).toHaveLength(target.users.length + target.publications.length + 2)
  const ofOthers = changes.filter((change) => !ofFan.includes(change))
  expect(contradictions(ledger, ofOthers)).toEqual([])
  expect(await audit(database)).toEqual([])
  expect(Object.keys({ ...codes, ...ledger.codes }).filter((code) => !expectedCodes.has(code))).toEqual([])
  expect(changes.length).toBeGreaterThan(40)
  return { ...ledger, subscribers }
}

/** Waits until all servers are ready. */
async function untilWell({ origins }: Target): Promise<void> {
  for (const origin of origins()) {
    const readiness = () => fetch(`${origin}/health/ready`).then(({ status }) => status)
    await expect.poll(() => readiness().catch(() => 0)).toBe(200)
  }
}
