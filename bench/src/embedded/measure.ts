import { at, checkWork } from '../measuring/check.ts'
import { Load, type Next } from '../measuring/load.ts'
import { requestsOf } from '../measuring/measure.ts'
import { percentile } from '../measuring/statistics.ts'
import type { Options } from '../options.ts'
import { memoryNow, peakMemory, type Running, type Server, start } from '../servers/server.ts'
import { type Speaker, speakerOf } from '../works/speaker.ts'
import type { Work } from '../works/work.ts'
import { watchLiveness } from './liveness.ts'
import type { Store } from './stores.ts'

/** A server and the data that it is started on. */
export type Contestant = { readonly server: Server; readonly store: Store }

/** What one server did at one work in one round; `silence` is the longest time without an answer of `/health/live`. In milliseconds. */
export type Measurement = {
  readonly requestsPerSecond: number
  readonly p50: number
  readonly p99: number
  readonly silence: number
}

/** The measurements of all rounds, by work and server, and the memory that each server held, in bytes, by its name. */
export type Results = {
  readonly measurements: ReadonlyMap<string, readonly Measurement[]>
  readonly memory: ReadonlyMap<string, { readonly ready: number | undefined; readonly peak: number | undefined }>
}

const settings = { DEMO: 'off', RATE_LIMIT: 'off', LOG_LEVEL: 'info' } as const
// WebAssembly is compiled a second time, for speed, while it runs.
const warmUp = { first: 4_000, again: 400 } as const

type Turn = {
  readonly running: Running
  readonly speak: Speaker
  readonly load: Load
  readonly ready: number | undefined
}

/** Starts all, each on a copy of its own, for as long as `work` lasts. */
function withAll<T>(
  contestants: readonly Contestant[],
  connections: number,
  work: (turns: readonly Turn[]) => Promise<T>,
): Promise<T> {
  const next = (turns: readonly Turn[]): Promise<T> => {
    const contestant = contestants[turns.length]
    if (!contestant) return work(turns)
    return contestant.store.withCopy(async (env) => {
      const running = await start(contestant.server, { ...settings, ...env })
      const load = new Load(running.origin, connections)
      try {
        const ready = await memoryNow(running.pid)
        return await next([...turns, { running, speak: await speakerOf(running), load, ready }])
      } finally {
        await load.close()
        await running.stop()
      }
    })
  }
  return next([])
}

/** Proves that all give the same answers. */
export function checkAll(
  contestants: readonly Contestant[],
  works: readonly Work[],
  { connections }: Options,
): Promise<void> {
  const expected = new Map<string, unknown[]>()
  return withAll(contestants, connections, async (turns) => {
    for (const { running, speak } of turns) {
      for (const work of works) await checkWork(running, work, (call) => speak(work, call, 0), expected)
      process.stdout.write(`${running.server.name}: the same answers\n`)
    }
  })
}

/** One server at one work. */
class Bench {
  readonly key: string
  readonly #origin: string
  readonly #load: Load
  readonly #next: Next

  constructor({ running, speak, load }: Turn, work: Work) {
    this.key = at(work, running.server)
    this.#origin = running.origin
    this.#load = load
    this.#next = requestsOf(work, speak)
  }

  async warmUp(milliseconds: number): Promise<void> {
    await this.#load.run(this.#next, milliseconds)
  }

  async measure(milliseconds: number): Promise<Measurement> {
    const liveness = await watchLiveness(this.#origin)
    const { requests, seconds, latencies } = await this.#load.run(this.#next, milliseconds)
    return {
      requestsPerSecond: requests / seconds,
      p50: percentile(latencies, 0.5),
      p99: percentile(latencies, 0.99),
      silence: await liveness.stop(),
    }
  }
}

/** All take turns at each work, beginning with another one each round. What a work writes is found by those after it. */
export function measureAll(
  contestants: readonly Contestant[],
  works: readonly Work[],
  { connections, rounds, seconds }: Options,
): Promise<Results> {
  return withAll(contestants, connections, async (turns) => {
    const measurements = new Map<string, Measurement[]>()
    for (const work of works) {
      process.stdout.write(`${work.about}…\n`)
      const benches = turns.map((turn) => new Bench(turn, work))
      for (const bench of benches) await bench.warmUp(warmUp.first)
      for (let round = 0; round < rounds; round++) {
        for (const first of benches.keys()) {
          const bench = benches[(first + round) % benches.length]
          if (!bench) continue
          await bench.warmUp(warmUp.again)
          measurements.set(bench.key, [...(measurements.get(bench.key) ?? []), await bench.measure(seconds * 1000)])
        }
      }
    }
    const memory = new Map<string, { ready: number | undefined; peak: number | undefined }>()
    for (const { running, ready } of turns)
      memory.set(running.server.name, { ready, peak: await peakMemory(running.pid) })
    return { measurements, memory }
  })
}
