import { setTimeout as sleep } from 'node:timers/promises'
import type { Attack } from '../stress/attack.ts'
import { AttackThread, type Done } from '../stress/attack-thread.ts'
import type { StressDatabase } from '../stress/databases.ts'
import { addTargets, seed } from '../stress/network.ts'
import { serve } from '../stress/rookery.ts'
import { PoliteClient, type PoliteView } from './polite.ts'

/** How long the server warms up, and rests after a flood, in milliseconds. */
const pauses = { warmUp: 5_000, rest: 2_000 } as const

/** What the polite client saw without a flood and beside it. */
export type Result = {
  readonly flood: Attack
  /** What the flood did; undefined where it did not end in time. */
  readonly done: Done | undefined
  readonly alone: PoliteView
  readonly beside: PoliteView
}

/** Measures the polite client for so long alone, and then for as long beside each flood. */
export async function measureFairness(
  database: StressDatabase,
  floods: readonly Attack[],
  seconds: number,
): Promise<Result[]> {
  await seed(database)
  const running = await serve(database)
  try {
    const network = await addTargets(database)
    const polite = new PoliteClient(running.origin, network)
    const results: Result[] = []
    await polite.during(sleep(pauses.warmUp))
    for (const flood of floods) {
      const thread = await AttackThread.prepare(flood, { ...network.target, origin: running.origin }, seconds)
      const alone = await polite.during(sleep(seconds * 1_000))
      const struck = thread.strike()
      const [done, beside] = await Promise.all([struck, polite.during(struck)])
      results.push({ flood, done, alone, beside })
      process.stderr.write(`${database.kind}, ${flood.name}: ${done?.requests ?? 'unknown'} requests\n`)
      await sleep(pauses.rest)
    }
    await polite.close()
    return results
  } finally {
    await running.stop()
  }
}
