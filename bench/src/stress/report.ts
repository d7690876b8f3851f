import { availableParallelism, cpus } from 'node:os'
import { number, table } from '../report/markdown.ts'
import { heap } from './rookery.ts'
import type { Result } from './run.ts'
import type { Seen } from './steady.ts'

const head = [
  'Attack',
  'Requests',
  'Refused',
  'Memory MiB',
  'PostgreSQL MiB',
  'Health p99 / worst ms',
  'Alone p50 / p99 ms',
  'Attacked p50 / p99 ms',
  'Failed',
  'Notes',
]

const mebibytes = (bytes: number | undefined) => number(bytes && Math.round(bytes / 2 ** 20))
const part = (some: number, all: number) => (all === 0 ? '' : `${Number(((some / all) * 100).toPrecision(2))}%`)
const latency = ({ p50, p99 }: Seen) => `${number(p50)} / ${number(p99)}`
const named = (counts: Readonly<Record<string, number>>) =>
  Object.entries(counts).map(([name, count]) => `${count} × ${name}`)

/** An attack as a row of the table. */
export function rowOf(result: Result): string[] {
  const { attack, done, alone, attacked, memory, postgresMemory, survived, wasCalm } = result
  const { health, polite } = attacked
  const notes = [
    ...(survived ? [] : ['**the server died**']),
    ...(done?.notes ?? ['the attack did not end in time']),
    ...(done && done.broken > 0 ? [`${done.broken} without an answer`] : []),
    ...named(polite.failures),
    ...named(health.failures).map((failure) => `health: ${failure}`),
    ...(wasCalm ? [] : ['not calm before']),
    ...(attacked.ownDelay > 50 ? [`those who measure were ${Math.round(attacked.ownDelay)} ms late`] : []),
  ]
  return [
    `${attack.row}. ${attack.about} (\`${attack.name}\`)`,
    number(done?.requests),
    done ? part(done.refused, done.requests) : '',
    mebibytes(memory),
    mebibytes(postgresMemory),
    `${number(health.p99)} / ${number(health.worst)}`,
    latency(alone.polite),
    latency(polite),
    part(polite.failed, polite.requests),
    notes.join('; '),
  ]
}

/** How long each attack lasted, and the load of the machine, over a minute, before and after them all. */
export type Circumstances = { readonly seconds: number; readonly loads: readonly [number, number] }

/** The report on one kind of database, as Markdown. */
export function stressReport(kind: string, results: readonly Result[], { seconds, loads }: Circumstances): string {
  return [
    `### ${kind === 'embedded' ? 'Embedded database' : kind}`,
    '',
    `Node.js ${process.versions.node} with a heap of ${heap} MiB, ${seconds} s for each attack, on ${availableParallelism()} processors (${cpus()[0]?.model.trim() ?? 'unknown'}) that everything shares, with a load of ${number(loads[0])} before and ${number(loads[1])} after. Meanwhile \`/health/live\` is asked for every 25 ms, and another account reads its home timeline every 50 ms.`,
    '',
    ...table(head, results.map(rowOf)),
    '',
  ].join('\n')
}
