import { at } from '../measuring/check.ts'
import type { Measurements } from '../measuring/measure.ts'
import { median } from '../measuring/statistics.ts'
import { table, times } from '../report/markdown.ts'
import type { Findings } from './findings.ts'

/** A goal for Rookery at one number of connections, relative to the floor in the same run. */
type Goal = {
  readonly about: string
  readonly work: string
  readonly connections: number
  /** What is compared; of the throughput at least the goal is wanted, of the processor time at most. */
  readonly measure: 'throughput' | 'PostgreSQL CPU'
  readonly goal: number
}

const throughput = (about: string, work: string, few: number, many: number): Goal[] => [
  { about, work, connections: 16, measure: 'throughput', goal: few },
  { about, work, connections: 128, measure: 'throughput', goal: many },
]

const goals: readonly Goal[] = [
  ...throughput('Get post, GraphQL', 'post', 1.1, 1.8),
  ...throughput('Get post, REST', 'post-rest', 0.95, 1.5),
  ...throughput('Like toggle, GraphQL', 'like', 0.9, 1.4),
  ...throughput('Like toggle, REST', 'like-rest', 1.1, 1.6),
  ...throughput('Send post', 'send', 0.8, 1.2),
  ...throughput('Nested home timeline', 'home', 0.9, 0.9),
  { about: 'Get post, GraphQL', work: 'post', connections: 128, measure: 'PostgreSQL CPU', goal: 0.5 },
]

/** Likes of one post relative to likes of many, when hot rows were first measured: 2,342 of 4,127 a second. */
const hotGoal = 0.57

/** The median over all rounds of one figure, of a server at a work; undefined where it was not measured. */
function figure(
  measurements: Measurements | undefined,
  { name }: { readonly name: string },
  server: { readonly name: string },
  measure: Goal['measure'],
): number | undefined {
  const found = measurements?.get(at({ name }, server))
  if (!found) return undefined
  return median(
    found.flatMap(({ requestsPerSecond, cpu }) =>
      measure === 'throughput' ? requestsPerSecond : (cpu?.postgres ?? []),
    ),
  )
}

const [floor, rookery] = [{ name: 'floor' }, { name: 'rookery' }]
const quotient = (one: number | undefined, other: number | undefined) =>
  one === undefined || other === undefined ? undefined : one / other

function row(about: string, connections: number, found: number | undefined, goal: string, isMet: boolean): string[][] {
  return found === undefined || Number.isNaN(found)
    ? []
    : [[about, String(connections), times(found), goal, isMet ? 'met' : '**missed**']]
}

function hotRows({ hotMeasurements, hotClients }: Findings): string[][] {
  return ['like', 'like-rest'].flatMap((name) => {
    const rate = (work: string) => figure(hotMeasurements, { name: work }, rookery, 'throughput')
    const found = quotient(rate(`${name}-hot`), rate(name))
    const about = `Likes of one post, relative to likes of many (\`${name}\`)`
    return row(about, hotClients, found, `at least ${times(hotGoal)}`, (found ?? 0) >= hotGoal)
  })
}

/** Each goal with what was found. */
export function goalTable(findings: Findings): string[] {
  const rows = goals.flatMap(({ about, work, connections, measure, goal }) => {
    const of = (server: { readonly name: string }) =>
      figure(findings.levels.get(connections), { name: work }, server, measure)
    const found = quotient(of(rookery), of(floor))
    const isMet = measure === 'throughput' ? (found ?? 0) >= goal : (found ?? Number.POSITIVE_INFINITY) <= goal
    const wanted = `${measure === 'throughput' ? 'at least' : 'at most'} ${times(goal)}`
    return row(`${about}: ${measure} relative to the floor (\`${work}\`)`, connections, found, wanted, isMet)
  })
  return table(['What', 'Connections', 'Found', 'Goal', 'Result'], [...rows, ...hotRows(findings)])
}
