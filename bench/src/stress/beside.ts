import { setTimeout as sleep } from 'node:timers/promises'
import { percentile } from '../measuring/statistics.ts'
import type { Request } from '../works/speaker.ts'
import { addresses, type Strike, Tally, type Target } from './attack.ts'
import { connectFrom, send } from './flood.ts'

/** What somebody else does during an attack, and what it is called in the report. */
export type Honest = {
  readonly name: string
  readonly request: Request
  /** From an answer to the next request, in milliseconds. */
  readonly pause: number
}

/** Lets somebody else send requests from another address while others attack, and says how they were answered. */
export function beside(target: Target, { name, request, pause }: Honest, attack: Strike): Strike {
  return async (until, tally) => {
    const pool = connectFrom(addresses.honest, target, 1)
    const honest = new Tally()
    const taken: number[] = []
    const sendAgainAndAgain = async () => {
      while (performance.now() < until) {
        const sent = performance.now()
        await send(pool, request, honest)
        taken.push(performance.now() - sent)
        await sleep(pause)
      }
    }
    await Promise.all([attack(until, tally), sendAgainAndAgain()])
    await pool.destroy()
    const sorted = Float64Array.from(taken).sort()
    const [half, worst] = [percentile(sorted, 0.5), sorted.at(-1) ?? Number.NaN].map(Math.round)
    return `${honest.answered} of ${honest.requests} ${name}, half within ${half} ms, all within ${worst} ms`
  }
}
