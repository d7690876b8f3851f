import { at } from '../measuring/check.ts'
import type { Start } from '../measuring/starts.ts'
import { median, spread } from '../measuring/statistics.ts'
import type { Options } from '../options.ts'
import { number, table, times } from '../report/markdown.ts'
import { startSection } from '../report/report.ts'
import type { Server } from '../servers/server.ts'
import type { Work } from '../works/work.ts'
import type { Results } from './measure.ts'

/** All that a run found. */
export type Findings = {
  readonly options: Options
  readonly machine: readonly string[]
  readonly servers: readonly Server[]
  readonly works: readonly Work[]
  readonly results: Results
  readonly starts: readonly Start[]
}

function workSection(work: Work, { servers, results: { measurements } }: Findings): string[] {
  const results = servers.map((server) => {
    const found = measurements.get(at(work, server)) ?? []
    return { name: server.name, found, rates: found.map(({ requestsPerSecond }) => requestsPerSecond) }
  })
  const own = results[0]?.rates ?? []
  const rows = results.map(({ name, found, rates }) => [
    name,
    number(median(rates)),
    `${Math.round(spread(rates) * 100)}%`,
    times(median(own.map((rate, round) => rate / (rates[round] ?? Number.NaN)))),
    number(median(found.map(({ p50 }) => p50))),
    number(median(found.map(({ p99 }) => p99))),
    number(Math.max(...found.map(({ silence }) => silence))),
  ])
  const head = ['Server', 'req/s', 'noise', `${servers[0]?.name} ÷ this`, 'p50 ms', 'p99 ms', 'longest silence ms']
  return [`### ${work.about}`, '', `\`${work.name}\``, '', ...table(head, rows), '']
}

function serverRows({ servers, results: { memory } }: Findings): string[][] {
  const mebibytes = (bytes: number | undefined) => number(bytes && bytes / 2 ** 20)
  return servers.map(({ name, runtime, setUp }) => {
    const held = memory.get(name)
    return [name, runtime.version.slice(1), setUp, mebibytes(held?.ready), mebibytes(held?.peak)]
  })
}

/** The report of a run, as Markdown. */
export function report(findings: Findings): string {
  const { options, machine, works, starts } = findings
  const { network, seconds, rounds, connections } = options
  const lines = [
    '# Results with the embedded database',
    '',
    '`npm run bench:embedded` wrote this file: see [README.md](README.md) for how to run it.',
    '',
    `- Data: ${network.users} users, ${network.posts} posts and replies, ${network.likes} likes, ${network.follows} follows; seed ${network.seed}.`,
    ...machine,
    `- ${connections} HTTP connections; medians of ${rounds} rounds of ${seconds} s. The servers start on copies of the same data and take turns at each work. Noise is how far the rounds lie apart, as a part of the median; ratios are medians of those of the rounds.`,
    '- Silence is the longest time between two answers of `/health/live` in any round, asked 20 ms after the last answer. Memory is that of the server’s process, without PostgreSQL’s.',
    '- Before measuring, every server gave the same answers as the others to the same requests.',
    '',
    '## The servers',
    '',
    ...table(['Server', 'Node.js', 'Set up', 'Memory when ready, MiB', 'Peak memory, MiB'], serverRows(findings)),
    '',
    ...startSection(starts),
    '## Each work',
    '',
    ...works.flatMap((work) => workSection(work, findings)),
  ]
  return `${lines.join('\n').trimEnd()}\n`
}
