import type pg from 'pg'
import { cleanUp } from '../database/clean.ts'
import type { Running } from '../servers/server.ts'
import { isMeasuredAt, speakerOf } from '../works/speaker.ts'
import type { Work } from '../works/work.ts'
import { ask, difference, normalised } from './answers.ts'

const checkedCalls = 12

/** Calls spread over all of a work's, so that all kinds of viewers and pages are among them. */
function someOf<T>(calls: readonly T[]): T[] {
  const step = Math.max(1, Math.floor(calls.length / checkedCalls))
  return calls.filter((_, index) => index % step === 0).slice(0, checkedCalls)
}

/** Asks each server some of the calls of each work, and throws unless all give the same answers. */
export async function checkAll(
  servers: readonly Running[],
  works: readonly Work[],
  db: pg.Client | undefined,
): Promise<void> {
  // A run that was interrupted may have left something.
  if (db) for (const work of works) await cleanUp(db, work)
  const expected = new Map<string, unknown[]>()
  for (const running of servers) {
    const speak = await speakerOf(running)
    let nth = 0
    for (const work of works.filter((work) => isMeasuredAt(running.server.kind, work))) {
      const answers: unknown[] = []
      for (const call of someOf(work.calls))
        answers.push(normalised(await ask(running.origin, speak(work, call, ++nth)), work))
      const known = expected.get(work.name)
      const found = known && difference(known, answers)
      if (found) throw new Error(`${running.server.name} answers ${work.name} differently: ${found}`)
      expected.set(work.name, answers)
      if (db) await cleanUp(db, work)
    }
    process.stdout.write(`${running.server.name}: the same answers\n`)
  }
}
