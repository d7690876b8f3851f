import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import type { DatabaseOptions } from '../../src/data/database.ts'
import { type Ledger, runLoad, type Target } from './load.ts'
import { audit } from './network.ts'

/** How many connections the load has, and how long it runs before and after the fault, in milliseconds. */
const connections = 12
const calm = 1_500

/** The codes that are expected during a fault. */
const expectedCodes = new Set(['OK', 'UNAVAILABLE', 'OUTCOME_UNKNOWN', 'LOST'])

/**
 * Injects a fault under load. Expects that nothing is lost, doubled or miscounted, that no error is unexpected, and that requests
 * succeed again afterwards.
 */
export async function underLoad(
  target: Target,
  database: DatabaseOptions,
  inject: () => Promise<unknown>,
): Promise<Ledger> {
  const stop = new AbortController()
  const running = runLoad(target, connections, stop.signal)
  await sleep(calm)
  await inject()
  await sleep(calm)
  await untilWell(target)
  await sleep(calm)
  stop.abort()
  const ledger = await running
  expect(await audit(database, ledger)).toEqual([])
  expect(Object.keys(ledger.codes).filter((code) => !expectedCodes.has(code))).toEqual([])
  expect([...ledger.sent.values()].filter((outcome) => outcome === 'acknowledged').length).toBeGreaterThan(20)
  return ledger
}

/** Waits until all servers are ready. */
async function untilWell({ origins }: Target): Promise<void> {
  for (const origin of origins()) {
    const readiness = () => fetch(`${origin}/health/ready`).then(({ status }) => status)
    await expect.poll(() => readiness().catch(() => 0)).toBe(200)
  }
}
