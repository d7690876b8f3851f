import { number, table, times } from '../report/markdown.ts'
import type { Seen } from '../stress/steady.ts'
import type { Result } from './measure.ts'

/** How many times the 99th percentile of the polite client alone it may be beside a flood. */
const goal = 2

const head = [
  'Flood',
  'Its req/s here',
  'Polite client',
  'Alone p50 / p99 ms',
  'Flood elsewhere p50 / p99 ms',
  'Flood here p50 / p99 ms',
  'p99, here to alone',
  'p99, here to elsewhere',
  'Failed',
]

const latency = ({ p50, p99 }: Seen) => `${number(p50)} / ${number(p99)}`

function rowsOf({ flood, alone, elsewhere, here }: Result, seconds: number): string[][] {
  return [...here.view].flatMap(([name, seen]) => {
    const [before, apart] = [alone.get(name), elsewhere.view.get(name)]
    if (!before || !apart) return []
    const ratio = seen.p99 / before.p99
    return [
      [
        `${flood.about} (\`${flood.name}\`)`,
        number(here.done && here.done.requests / seconds),
        name,
        latency(before),
        latency(apart),
        latency(seen),
        `${times(ratio)}${ratio <= goal ? '' : ' **missed**'}`,
        times(seen.p99 / apart.p99),
        String(seen.failed),
      ],
    ]
  })
}

/** The report on one kind of database, as Markdown. */
export function fairnessReport(kind: string, results: readonly Result[], seconds: number): string {
  return [
    `### One flooding client beside a polite one, ${kind === 'embedded' ? 'embedded database' : kind}`,
    '',
    `One account floods on 64 connections for ${seconds} s, or up to 50,000 requests; another sends about 115 requests a second. The goal: beside the flood, the 99th percentile of the polite client is at most twice what it is alone, and nothing fails. For comparison, the same flood hits another server on the same machine, with which the polite client shares only processors and the disk.`,
    '',
    ...table(
      head,
      results.flatMap((result) => rowsOf(result, seconds)),
    ),
    '',
  ].join('\n')
}
