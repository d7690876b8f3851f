import type { StatementCounts } from '../measuring/check.ts'
import { at } from '../measuring/check.ts'
import type { Measurements } from '../measuring/measure.ts'
import type { Start } from '../measuring/starts.ts'
import { median, spread } from '../measuring/statistics.ts'
import type { Options } from '../options.ts'
import type { Server } from '../servers/server.ts'
import type { Work } from '../works/work.ts'
import { number, table, times } from './markdown.ts'
import { Results } from './results.ts'

/** All that a run found. */
export type Findings = {
  readonly options: Options
  readonly machine: readonly string[]
  readonly servers: readonly Server[]
  readonly works: readonly Work[]
  readonly statements: StatementCounts
  readonly measurements: Measurements
  /** The most memory that each server held, in bytes, by its name. */
  readonly memory: ReadonlyMap<string, number>
  readonly starts: readonly Start[]
}

/** Rookery at each work, against the floor on the same Node.js and against the better of PostGraphile's two forms. */
function summary({ servers, works }: Findings, results: Results): string[] {
  const rookeries = servers.filter(({ kind }) => kind === 'rookery')
  const head = ['Work', ...rookeries.flatMap(({ name }) => [`${name}: req/s`, 'of the floor', '× PostGraphile'])]
  const rows = works.map((work) => [
    work.about,
    ...rookeries.flatMap((server) => [
      number(results.rate(work, server)),
      times(results.ofFloor(work, server)),
      times(results.ofPostgraphile(work, server)),
    ]),
  ])
  return table(head, rows)
}

function workSection(work: Work, { servers, statements, measurements }: Findings, results: Results): string[] {
  const head = [
    'Server',
    'req/s',
    'noise',
    'p50 ms',
    'p99 ms',
    'CPU ms server',
    'CPU ms PostgreSQL',
    'statements',
    'of the floor',
    '× PostGraphile',
  ]
  const rows = servers.flatMap((server) => {
    const found = measurements.get(at(work, server))
    if (!found) return []
    const cpus = found.flatMap(({ cpu }) => (cpu ? [cpu] : []))
    return [
      [
        server.name,
        number(results.rate(work, server)),
        `${Math.round(spread(found.map(({ requestsPerSecond }) => requestsPerSecond)) * 100)}%`,
        number(median(found.map(({ p50 }) => p50))),
        number(median(found.map(({ p99 }) => p99))),
        number(median(cpus.map(({ server }) => server))),
        number(median(cpus.map(({ postgres }) => postgres))),
        number(statements.get(at(work, server))),
        times(results.ofFloor(work, server)),
        times(results.ofPostgraphile(work, server)),
      ],
    ]
  })
  return rows.length === 0 ? [] : [`### ${work.about}`, '', `\`${work.name}\``, '', ...table(head, rows), '']
}

/** The times to ready, as a section of a report. */
export function startSection(starts: readonly Start[]): string[] {
  if (starts.length === 0) return []
  const rows = starts.map(({ server, demo, isNew, existing }) => [server, demo, number(isNew), number(existing)])
  return [
    '## From the start of the process to ready, with the embedded database',
    '',
    ...table(['Server', 'Demo', 'New data, ms', 'Existing data, ms'], rows),
    '',
  ]
}

/** The report of a run, as Markdown. */
export function report(findings: Findings): string {
  const { options, machine, servers, works, memory, starts } = findings
  const { network, seconds, rounds, connections, pool } = options
  const results = new Results(findings)
  const lines = [
    '# Results',
    '',
    '`npm run bench` wrote this file: see [README.md](README.md) for how to run it.',
    '',
    `- Data: ${network.users} users, ${network.posts} posts and replies, ${network.likes} likes, ${network.follows} follows; seed ${network.seed}.`,
    ...machine,
    `- ${connections} HTTP connections, ${pool} database connections a server; medians of ${rounds} rounds of ${seconds} s, the servers taking turns at each work. Noise is how far the rounds lie apart, as a part of the median.`,
    '- Before measuring, every server gave the same answers as the others to the same requests. Statements are counted on the wire, once the server has warmed up.',
    '',
    '## Rookery in one table',
    '',
    'Requests a second; of the floor’s on the same Node.js; times those of PostGraphile’s better form.',
    '',
    ...summary(findings, results),
    '',
    '## The servers',
    '',
    ...table(
      ['Server', 'Node.js', 'Set up', 'Peak memory MiB'],
      servers.map(({ name, runtime, setUp }) => {
        const peak = memory.get(name)
        return [name, runtime.version.slice(1), setUp, number(peak && peak / 2 ** 20)]
      }),
    ),
    '',
    ...startSection(starts),
    '## Each work',
    '',
    'CPU is for one request.',
    '',
    ...works.flatMap((work) => workSection(work, findings, results)),
  ]
  return `${lines.join('\n').trimEnd()}\n`
}
