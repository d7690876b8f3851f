import type { FeedCost } from '../measuring/feed.ts'
import type { Live } from '../measuring/live.ts'
import { at, type Measurements } from '../measuring/measure.ts'
import type { Start } from '../measuring/starts.ts'
import { median, spread } from '../measuring/statistics.ts'
import type { Options } from '../options.ts'
import type { Running } from '../servers/server.ts'
import type { Work } from '../works/work.ts'
import { number, table, times } from './markdown.ts'

/** All that a run found. */
export type Findings = {
  readonly title: string
  /** The npm script that wrote the report. */
  readonly command: string
  readonly running: readonly Running[]
  readonly works: readonly Work[]
  readonly options: Options
  readonly starts: readonly Start[]
  readonly live: readonly Live[]
  readonly feed: readonly FeedCost[]
  /** What was measured on, as lines of Markdown. */
  readonly machine: readonly string[]
  /** The measurements by the number of connections. */
  readonly levels: ReadonlyMap<number, Measurements>
  /** The most memory that each server held, in bytes, by its name. */
  readonly memory: ReadonlyMap<string, number | undefined>
}

/** What was measured at each work, first in one table. */
function worksSection(findings: Findings): string[] {
  const { works } = findings
  if (works.length === 0) return []
  return [
    '## Summary',
    '',
    'Rookery and its ratios to the others, at each number of connections.',
    '',
    ...summary(findings),
    '',
    '## Each work',
    '',
    'CPU is for one request.',
    '',
    ...works.flatMap((work) => workSection(work, findings)),
  ]
}

/** The first server that is Rookery at each work and number of connections, by itself and relative to the others. */
function summary({ running, works, levels }: Findings): string[] {
  const names = running.map(({ server }) => server.name)
  const own = running.find(({ server }) => server.kind === 'rookery')?.server.name ?? ''
  const others = [...new Set(names.map((name) => name.replace(/-.*/, '')))].filter((name) => name !== own)
  const cells = (work: Work, measurements: Measurements) => {
    const ratesOf = (name: string) =>
      measurements.get(at(work, { name }))?.map(({ requestsPerSecond }) => requestsPerSecond) ?? []
    const rates = ratesOf(own)
    const ratios = others.map((start) => {
      const forms = names.filter((name) => name.startsWith(start)).map(ratesOf)
      const found = rates.map((rate, round) => rate / Math.max(0, ...forms.map((form) => form[round] ?? 0)))
      return times(median(found.filter(Number.isFinite)))
    })
    return [number(median(rates)), ...ratios]
  }
  const head = [...levels.keys()].flatMap((count) => [
    `requests/s, ${count}`,
    ...others.map((name) => `÷ ${name}, ${count}`),
  ])
  const rows = works.map((work) => [work.about, ...[...levels.values()].flatMap((found) => cells(work, found))])
  return table(['Work', ...head], rows)
}

function workSection(work: Work, { running, levels }: Findings): string[] {
  const rows = [...levels].flatMap(([connections, measurements]) =>
    running.flatMap(({ server }) => {
      const found = measurements.get(at(work, server))
      if (!found) return []
      const rates = found.map(({ requestsPerSecond }) => requestsPerSecond)
      const cpus = found.flatMap(({ cpu }) => cpu ?? [])
      const cells = [median(rates), median(found.map(({ p50 }) => p50)), median(found.map(({ p99 }) => p99))]
      const times = [median(cpus.map(({ server }) => server)), median(cpus.map(({ postgres }) => postgres))]
      return [
        [server.name, String(connections), `${Math.round(spread(rates) * 100)}%`, ...[...cells, ...times].map(number)],
      ]
    }),
  )
  const head = ['Server', 'Connections', 'noise', 'req/s', 'p50 ms', 'p99 ms', 'CPU ms server', 'CPU ms PostgreSQL']
  return [`### ${work.about}`, '', `\`${work.name}\``, '', ...table(head, rows), '']
}

function startSection(starts: readonly Start[]): string[] {
  if (starts.length === 0) return []
  const rows = starts.map(({ server, demo, isNew, existing }) => [server, demo, number(isNew), number(existing)])
  return [
    '## From the start of the process to ready',
    '',
    ...table(['Server', 'Demo', 'New data, ms', 'Existing data, ms'], rows),
    '',
  ]
}

function liveSection({ live, feed, options }: Findings): string[] {
  if (live.length === 0) return []
  const streams = live.map(({ server, p50, p99, events }) => [server, number(p50), number(p99), String(events)])
  const costs = feed.map(({ work, ...found }) => [
    work.about,
    number(found.with),
    number(found.without),
    times(found.ratio),
  ])
  return [
    `## Posts of one writer to ${options.subscribers} subscribers`,
    '',
    'From sending the post to its event. Every stream got each post once and in order.',
    '',
    ...table(['Server', 'p50 ms', 'p99 ms', 'Events'], streams),
    '',
    '## Writes with the change feed and without',
    '',
    ...table(['Work', 'req/s with', 'req/s without', 'Ratio'], costs),
    '',
  ]
}

/** The report of a run, as Markdown. */
export function report(findings: Findings): string {
  const { title, command, options, machine, running, memory, starts } = findings
  const { network, seconds, rounds, pool } = options
  const lines = [
    `# ${title}`,
    '',
    `\`npm run ${command}\` wrote this file: see [README.md](README.md).`,
    '',
    `- Data: ${network.users} users, ${network.posts} posts and replies, ${network.likes} likes, ` +
      `${network.follows} follows besides those of readers; seed ${network.seed}.`,
    ...machine,
    `- ${pool} database connections a server; medians of ${rounds} rounds of ${seconds} s, in which the ` +
      `servers take turns at each work. Ratios are medians of those of the rounds; of PostGraphile's two ` +
      'forms, of the faster one. Noise is how far the rounds lie apart, as a part of the median.',
    '- Before measuring, every server gave the same answers as the others to the same requests.',
    '',
    ...worksSection(findings),
    '## The servers',
    '',
    ...table(
      ['Server', 'Set up', 'Peak memory MiB'],
      running.map(({ server: { name, setUp } }) => [name, setUp, number((memory.get(name) ?? Number.NaN) / 2 ** 20)]),
    ),
    '',
    ...startSection(starts),
    ...liveSection(findings),
  ]
  return `${lines.join('\n').trimEnd()}\n`
}
