import type pg from 'pg'
import { cleanUp } from '../database/clean.ts'
import type { Options } from '../options.ts'
import type { Running } from '../servers/server.ts'
import { speakerOf } from '../works/speaker.ts'
import type { Work } from '../works/work.ts'
import { Load } from './load.ts'
import { requestsOf } from './measure.ts'
import { median } from './statistics.ts'

/** The writes in a second with the change feed and without, and the median of the ratios of the rounds. */
export type FeedCost = { readonly work: Work; readonly with: number; readonly without: number; readonly ratio: number }

const connections = 16
const warmUp = 400

/** Turns the change feed on, or off by a trigger that drops its changes. */
async function setFeed(db: pg.Client, action: 'enable' | 'disable'): Promise<void> {
  await db.query('drop trigger if exists bench_drop_change on changes')
  if (action === 'disable')
    await db.query(
      'create trigger bench_drop_change before insert on changes for each row execute function bench_drop_change()',
    )
}

/** Measures what the change feed costs writes, in rounds that begin with it and without in turn. */
export async function measureFeed(
  running: Running,
  works: readonly Work[],
  db: pg.Client,
  { seconds, rounds }: Options,
): Promise<FeedCost[]> {
  const load = new Load(running.origin, connections)
  const speak = await speakerOf(running)
  const costs: FeedCost[] = []
  try {
    for (const work of works) {
      const next = requestsOf(work, speak)
      const rates = { enable: [] as number[], disable: [] as number[] }
      for (let round = 0; round < rounds; round++) {
        process.stdout.write(`Feed, ${work.name}, round ${round + 1} of ${rounds}…\n`)
        for (const action of round % 2 ? (['enable', 'disable'] as const) : (['disable', 'enable'] as const)) {
          await setFeed(db, action)
          await load.run(next, warmUp)
          const result = await load.run(next, seconds * 1_000)
          rates[action].push(result.requests / result.seconds)
          await cleanUp(db, work)
        }
      }
      const ratio = median(rates.enable.map((rate, round) => rate / (rates.disable[round] ?? Number.NaN)))
      costs.push({ work, with: median(rates.enable), without: median(rates.disable), ratio })
    }
    return costs
  } finally {
    await setFeed(db, 'enable')
    await load.close()
  }
}
