import { Readable } from 'node:stream'
import { insufficientScope } from '../domain/access.ts'
import { Refusal } from '../errors.ts'
import type { Api } from '../http/api.ts'
import { identifyAgain } from '../http/identity.ts'
import { positionIn } from '../http/position.ts'
import { exportPagePrice, exportPages } from '../reads/export.ts'
import { unauthenticated } from '../schema/context.ts'
import { satisfies } from '../scopes.ts'
import type { Endpoint } from './endpoint.ts'
import type { getExport } from './operations/export.ts'

/** Streams an export. It reads a page when the client has received the one before, and holds no connection to the database meanwhile. */
export function exportEndpoint({ id, scopes, response }: typeof getExport, { service, watch, log }: Api): Endpoint {
  return async (request, reply) => {
    const { notes, identity, search, lifetime, raw } = request
    const { session, account } = identity
    notes.operation = id
    notes.isOperationKnown = true
    if (!session) throw unauthenticated()
    if (!satisfies(session.scopes, scopes)) throw insufficientScope(scopes, session)
    const { write } = service.database.for({ account, lifetime, after: positionIn(raw.headers) })
    let isBegun = false
    /** Charges a page, and waits for its points after the first one. The request keeps its slots, so an account has few exports at once. */
    const charge = async (): Promise<void> => {
      try {
        await request.budget?.charge(exportPagePrice)
      } catch (error) {
        const seconds = isBegun && error instanceof Refusal ? error.details.retryAfter : undefined
        if (seconds === undefined || lifetime.signal.aborted || watch.isStopped) throw error
        const resume = lifetime.suspend()
        await watch.pause(seconds * 1_000, lifetime.signal)
        resume()
        return charge()
      }
    }
    const pages = exportPages(session.viewerId, search.get('after') ?? undefined, async (page) => {
      const { refusal } = await identifyAgain(request, service.sessions)
      if (refusal) throw refusal
      await charge()
      if (watch.isStopped) throw new Refusal('UNAVAILABLE', 'The server is stopping.')
      const rows = await write.read(page)
      // Each page has the time limit of a delivery.
      lifetime.suspend()()
      return rows
    })
    // If the first page is refused, so is the request.
    const first = await pages.next()
    isBegun = true
    notes.cost = exportPagePrice

    async function* lines() {
      if (!first.done) yield first.value
      try {
        yield* pages
      } catch (err) {
        if (!(err instanceof Refusal)) log.warn({ requestId: request.id, err }, 'an export was cut off')
        raw.socket.destroy()
        throw err
      }
    }
    return reply.type(response.type).send(Readable.from(request.method === 'HEAD' ? [] : lines()))
  }
}
