import { median, spread } from '../measuring/statistics.ts'
import { number, table, times } from '../report/markdown.ts'
import type { Result, Round } from './measure.ts'
import type { PoliteView } from './polite.ts'

/** How many times the 99th percentile of the polite client alone it may be beside a flood. */
const goal = 2

const head = [
  'Flood',
  'Its req/s here',
  'Polite client',
  'Alone p50 / p99 ms',
  'Flood elsewhere p50 / p99 ms',
  'Flood here p50 / p99 ms',
  'Noise of p99 here',
  'p99, here to alone',
  'p99, here to elsewhere',
  'Failed',
]

/** Medians of all rounds. */
type Latency = { readonly p50: number; readonly p99: number }

const shown = ({ p50, p99 }: Latency) => `${number(p50)} / ${number(p99)}`

function rowsOf({ flood, rounds }: Result, seconds: number): string[][] {
  const requests = rounds.flatMap(({ here }) => here.done?.requests ?? [])
  const habits = [...new Set(rounds.flatMap(({ alone }) => [...alone.keys()]))]
  return habits.map((habit) => {
    const medianOf = (viewOf: (round: Round) => PoliteView): Latency => {
      const seen = rounds.flatMap((round) => viewOf(round).get(habit) ?? [])
      return { p50: median(seen.map(({ p50 }) => p50)), p99: median(seen.map(({ p99 }) => p99)) }
    }
    const alone = medianOf((round) => round.alone)
    const elsewhere = medianOf((round) => round.elsewhere.view)
    const here = medianOf((round) => round.here.view)
    const ratio = here.p99 / alone.p99
    const noise = spread(rounds.flatMap(({ here }) => here.view.get(habit)?.p99 ?? []))
    return [
      `${flood.about} (\`${flood.name}\`)`,
      number(median(requests) / seconds),
      habit,
      ...[alone, elsewhere, here].map(shown),
      `${Math.round(noise * 100)}%`,
      `${times(ratio)}${ratio <= goal ? '' : ' **missed**'}`,
      times(here.p99 / elsewhere.p99),
      String(rounds.reduce((sum, { here }) => sum + (here.view.get(habit)?.failed ?? 0), 0)),
    ]
  })
}

/** The report on one kind of database, as Markdown. */
export function fairnessReport(kind: string, results: readonly Result[], seconds: number): string {
  return [
    `### One flooding client beside a polite one, ${kind === 'embedded' ? 'embedded database' : kind}`,
    '',
    `One account floods for ${seconds} s in each round, or up to 50,000 requests, on 64 connections unless the flood says otherwise; another sends about 115 requests a second. Latencies are medians of the rounds. The goal: beside the flood, the 99th percentile of the polite client is at most twice what it is alone, and nothing fails. For comparison, the same flood hits another server on the same machine, with which the polite client shares only the processors.`,
    '',
    ...table(
      head,
      results.flatMap((result) => rowsOf(result, seconds)),
    ),
    '',
  ].join('\n')
}
