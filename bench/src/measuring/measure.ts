import type pg from 'pg'
import { cleanUp } from '../database/clean.ts'
import type { Options } from '../options.ts'
import type { Running, Server } from '../servers/server.ts'
import { isMeasuredAt, type Speaker, speakerOf } from '../works/speaker.ts'
import type { Work } from '../works/work.ts'
import { cpuTimes, spent } from './cpu.ts'
import { Load, type Next } from './load.ts'
import { percentile } from './statistics.ts'

/** What one server did at one work in one round. Times are in milliseconds; `cpu` is for one request, where it can be read. */
export type Measurement = {
  readonly requestsPerSecond: number
  readonly p50: number
  readonly p99: number
  readonly cpu: { readonly server: number; readonly postgres: number } | undefined
}

/** The measurements of all rounds, by work and server. */
export type Measurements = ReadonlyMap<string, readonly Measurement[]>

/** The requests of a work in turn, over and over. */
export function requestsOf(work: Work, speak: Speaker): Next {
  let nth = 0
  const isFresh = work.surface === 'graphql' && work.fresh === true
  const ready = isFresh ? [] : work.calls.map((call) => speak(work, call, 0))
  return () => {
    nth += 1
    const index = nth % work.calls.length
    const call = work.calls[index]
    const request = ready[index] ?? (call && speak(work, call, nth + 1_000_000))
    if (!request) throw new RangeError(`There is no call ${index} of ${work.name}`)
    return request
  }
}

const warmUp = { first: 1_000, again: 400 } as const

/** The key of one server at one work. */
export const at = (work: Pick<Work, 'name'>, server: Pick<Server, 'name'>) => `${work.name} ${server.name}`

/** One server at one work, with its connections; requests go on in turn from round to round. */
class Bench {
  readonly running: Running
  readonly work: Work
  readonly #load: Load
  readonly #next: Next

  constructor(running: Running, work: Work, speak: Speaker, load: Load) {
    this.running = running
    this.work = work
    this.#load = load
    this.#next = requestsOf(work, speak)
  }

  async warmUp(milliseconds: number): Promise<void> {
    await this.#load.run(this.#next, milliseconds)
  }

  async measure(db: pg.Client | undefined, seconds: number): Promise<Measurement> {
    const before = db && (await cpuTimes(db, this.running.pid))
    const result = await this.#load.run(this.#next, seconds * 1000)
    const after = db && (await cpuTimes(db, this.running.pid))
    const time = before && after && spent(before, after)
    return {
      requestsPerSecond: result.requests / result.seconds,
      p50: percentile(result.latencies, 0.5),
      p99: percentile(result.latencies, 0.99),
      cpu: time && { server: time.server / result.requests, postgres: time.postgres / result.requests },
    }
  }
}

/** In each round every server does every work, beginning with another server each time. */
export async function measureAll(
  servers: readonly Running[],
  works: readonly Work[],
  db: pg.Client | undefined,
  connections: number,
  { seconds, rounds }: Options,
): Promise<Measurements> {
  const measurements = new Map<string, Measurement[]>()
  const loads = servers.map(({ origin }) => new Load(origin, connections))
  try {
    const speakers = await Promise.all(servers.map(speakerOf))
    const benches = works.map((work) =>
      servers.flatMap((running, index) => {
        const [speak, load] = [speakers[index], loads[index]]
        return speak && load && isMeasuredAt(running.server.kind, work) ? [new Bench(running, work, speak, load)] : []
      }),
    )
    for (let round = 0; round <= rounds; round++) {
      process.stdout.write(round === 0 ? 'Warming up…\n' : `Round ${round} of ${rounds}…\n`)
      for (const group of benches) {
        for (let turn = 0; turn < group.length; turn++) {
          const bench = group[(turn + round) % group.length]
          if (!bench) continue
          await bench.warmUp(round === 0 ? warmUp.first : warmUp.again)
          if (round > 0) {
            const key = at(bench.work, bench.running.server)
            measurements.set(key, [...(measurements.get(key) ?? []), await bench.measure(db, seconds)])
          }
          if (db) await cleanUp(db, bench.work)
        }
      }
    }
    return measurements
  } finally {
    await Promise.all(loads.map((load) => load.close()))
  }
}
