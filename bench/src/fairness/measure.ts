import { setTimeout as sleep } from 'node:timers/promises'
import type { Running } from '../servers/server.ts'
import type { Attack } from '../stress/attack.ts'
import { AttackThread, type Done } from '../stress/attack-thread.ts'
import type { StressDatabase } from '../stress/databases.ts'
import { addTargets, type Network, seed } from '../stress/network.ts'
import { serve } from '../stress/rookery.ts'
import { PoliteClient, type PoliteView } from './polite.ts'

/** How long the servers warm up, and rest after a flood, in milliseconds. */
const pauses = { warmUp: 5_000, rest: 1_000 } as const

/** How often the three situations of a flood are measured, in turn. */
const rounds = 5

/** What the polite client saw in one round without a flood, and beside it. */
export type Round = {
  readonly alone: PoliteView
  /** While the flood hits another server on this machine, which shares nothing with its own but the processors. */
  readonly elsewhere: Beside
  /** While the flood hits its own server. */
  readonly here: Beside
}

/** All rounds of a flood. */
export type Result = { readonly flood: Attack; readonly rounds: readonly Round[] }

/** What the polite client saw, and what the flood did meanwhile; undefined where it did not end in time. */
export type Beside = { readonly view: PoliteView; readonly done: Done | undefined }

type Side = { readonly running: Running; readonly network: Network }

/** Measures the polite client in several rounds for each flood: alone, beside the flood elsewhere, and beside it here. */
export async function measureFairness(
  databases: { readonly shared: StressDatabase; readonly other: StressDatabase },
  floods: readonly Attack[],
  seconds: number,
): Promise<Result[]> {
  const sides: Side[] = []
  try {
    for (const database of [databases.shared, databases.other]) sides.push(await startSide(database))
    const [own, other] = sides
    if (!own || !other) throw new RangeError('Two servers have to run.')
    const polite = new PoliteClient(own.running.origin, own.network)
    const beside = async (flood: Attack, { running, network }: Side): Promise<Beside> => {
      const thread = await AttackThread.prepare(flood, { ...network.target, origin: running.origin }, seconds)
      const struck = thread.strike()
      const [done, view] = await Promise.all([struck, polite.during(struck)])
      await sleep(pauses.rest)
      return { done, view }
    }
    const results: Result[] = []
    await polite.during(sleep(pauses.warmUp))
    for (const flood of floods) {
      const measured: Round[] = []
      // The first round warms the servers up for this flood.
      for (let nth = 0; nth <= rounds; nth++) {
        process.stderr.write(`${databases.shared.kind}, ${flood.name}: round ${nth} of ${rounds}\n`)
        const alone = await polite.during(sleep(seconds * 1_000))
        const round = { alone, elsewhere: await beside(flood, other), here: await beside(flood, own) }
        if (nth > 0) measured.push(round)
      }
      results.push({ flood, rounds: measured })
    }
    await polite.close()
    return results
  } finally {
    for (const { running } of sides) await running.stop()
  }
}

async function startSide(database: StressDatabase): Promise<Side> {
  await seed(database)
  const running = await serve(database)
  return { running, network: await addTargets(database) }
}
