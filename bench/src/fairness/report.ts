import { number, table, times } from '../report/markdown.ts'
import type { Seen } from '../stress/steady.ts'
import type { Result } from './measure.ts'

/** How many times the 99th percentile of the polite client alone it may be beside a flood. */
const goal = 2

const head = [
  'Flood',
  'Its req/s',
  'Polite client',
  'Alone p50 / p99 ms',
  'Beside p50 / p99 ms',
  'p99 ratio',
  'Failed',
  'Goal',
]

const latency = ({ p50, p99 }: Seen) => `${number(p50)} / ${number(p99)}`

function rowsOf({ flood, done, alone, beside }: Result, seconds: number): string[][] {
  return [...beside].flatMap(([name, seen]) => {
    const before = alone.get(name)
    if (!before) return []
    const ratio = seen.p99 / before.p99
    return [
      [
        `${flood.about} (\`${flood.name}\`)`,
        number(done && done.requests / seconds),
        name,
        latency(before),
        latency(seen),
        times(ratio),
        String(seen.failed),
        ratio <= goal && seen.failed === 0 ? 'met' : '**missed**',
      ],
    ]
  })
}

/** The report on one kind of database, as Markdown. */
export function fairnessReport(kind: string, results: readonly Result[], seconds: number): string {
  return [
    `### One flooding client beside a polite one, ${kind === 'embedded' ? 'embedded database' : kind}`,
    '',
    `One account floods on 64 connections for ${seconds} s, or up to 50,000 requests; another sends about 115 requests a second. The goal: the 99th percentile of the polite client at most doubles, and nothing fails.`,
    '',
    ...table(
      head,
      results.flatMap((result) => rowsOf(result, seconds)),
    ),
    '',
  ].join('\n')
}
