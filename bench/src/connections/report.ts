import { at } from '../measuring/check.ts'
import type { Measurements } from '../measuring/measure.ts'
import { median, spread } from '../measuring/statistics.ts'
import { number, table, times } from '../report/markdown.ts'
import { Results } from '../report/results.ts'
import type { Server } from '../servers/server.ts'
import type { Work } from '../works/work.ts'
import type { Findings } from './findings.ts'
import { goalTable } from './goals.ts'

const head = ['Server', 'Connections', 'req/s', 'noise', 'of the floor', 'p50 ms', 'p99 ms', 'CPU ms server']

function rowsOf(work: Work, connections: number, measurements: Measurements, servers: readonly Server[]): string[][] {
  const results = new Results({ servers, measurements })
  return servers.flatMap((server) => {
    const found = measurements.get(at(work, server))
    if (!found) return []
    const cpus = found.flatMap(({ cpu }) => cpu ?? [])
    return [
      [
        server.name,
        String(connections),
        number(results.rate(work, server)),
        `${Math.round(spread(found.map(({ requestsPerSecond }) => requestsPerSecond)) * 100)}%`,
        times(results.ofFloor(work, server)),
        number(median(found.map(({ p50 }) => p50))),
        number(median(found.map(({ p99 }) => p99))),
        number(median(cpus.map(({ server }) => server))),
        number(median(cpus.map(({ postgres }) => postgres))),
      ],
    ]
  })
}

function workSection(work: Work, rows: readonly (readonly string[])[]): string[] {
  return [`### ${work.about}`, '', `\`${work.name}\``, '', ...table([...head, 'CPU ms PostgreSQL'], rows), '']
}

/** The report of a run, as Markdown. */
export function report(findings: Findings): string {
  const { options, machine, servers, works, levels, hot, hotClients, hotMeasurements, ready, peak } = findings
  const { network, seconds, rounds, pool } = options
  const mebibytes = (bytes: number | undefined) => number(bytes && bytes / 2 ** 20)
  const lines = [
    '# Results at several numbers of connections',
    '',
    '`npm run bench:connections` wrote this file: see [README.md](README.md) for how to run it.',
    '',
    `- Data: ${network.users} users, ${network.posts} posts and replies, ${network.likes} likes, ${network.follows} follows; seed ${network.seed}.`,
    ...machine,
    `- ${pool} database connections a server; medians of ${rounds} rounds of ${seconds} s, the servers taking turns at each work. Noise is how far the rounds lie apart, as a part of the median.`,
    '- Before measuring, every server gave the same answers as the others to the same requests.',
    '',
    '## Goals',
    '',
    ...goalTable(findings),
    '',
    '## The servers',
    '',
    ...table(
      ['Server', 'Node.js', 'Set up', 'Memory when ready, MiB', 'Peak memory, MiB'],
      servers.map(({ name, runtime, setUp }) => [
        ...[name, runtime.version.slice(1), setUp],
        ...[mebibytes(ready.get(name)), mebibytes(peak.get(name))],
      ]),
    ),
    '',
    '## Each work',
    '',
    'CPU is for one request.',
    '',
    ...works.flatMap((work) => {
      const rows = [...levels].flatMap(([connections, found]) => rowsOf(work, connections, found, servers))
      return workSection(work, rows)
    }),
    `## One post and many, ${hotClients} clients`,
    '',
    ...hot.flatMap((work) => workSection(work, rowsOf(work, hotClients, hotMeasurements, servers))),
  ]
  return `${lines.join('\n').trimEnd()}\n`
}
