import { at } from '../measuring/check.ts'
import type { Measurements } from '../measuring/measure.ts'
import { median } from '../measuring/statistics.ts'
import type { Server } from '../servers/server.ts'
import type { Work } from '../works/work.ts'

/** What the measurements say, and how servers compare. */
export class Results {
  readonly #servers: readonly Server[]
  readonly #measurements: Measurements

  constructor({ servers, measurements }: { readonly servers: readonly Server[]; readonly measurements: Measurements }) {
    this.#servers = servers
    this.#measurements = measurements
  }

  /** Requests a second, the median of the rounds; undefined where it was not measured. */
  rate(work: Work, server: Server): number | undefined {
    const found = this.#measurements.get(at(work, server))
    return found && median(found.map(({ requestsPerSecond }) => requestsPerSecond))
  }

  /** The server's rate as a part of the floor's on the same Node.js. */
  ofFloor(work: Work, server: Server): number | undefined {
    return this.#ratio(work, server, (other) => other.kind === 'floor' && other.runtime.path === server.runtime.path)
  }

  /** The server's rate as so many times that of PostGraphile's better form. */
  ofPostgraphile(work: Work, server: Server): number | undefined {
    return this.#ratio(work, server, ({ kind }) => kind.startsWith('postgraphile'))
  }

  #ratio(work: Work, server: Server, isCompared: (other: Server) => boolean): number | undefined {
    const own = this.rate(work, server)
    const others = this.#servers.filter(isCompared).flatMap((other) => this.rate(work, other) ?? [])
    return own === undefined || others.length === 0 ? undefined : own / Math.max(...others)
  }
}
