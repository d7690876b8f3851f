import { Readable } from 'node:stream'
import { insufficientScope } from '../domain/access.ts'
import { Refusal } from '../errors.ts'
import { identifyAgain } from '../http/identity.ts'
import { positionIn } from '../http/position.ts'
import { exportPagePrice, exportPages } from '../reads/export.ts'
import { unauthenticated } from '../schema/context.ts'
import { satisfies } from '../scopes.ts'
import type { Endpoint, RestParts } from './endpoint.ts'
import type { getExport } from './operations/export.ts'

/** Streams an export: it reads a page whenever its client has taken the one before, and holds no connection to the database meanwhile. */
export function exportEndpoint(
  { id, scopes, response }: typeof getExport,
  { service, watch, log }: RestParts,
): Endpoint {
  return async (request, reply) => {
    const { notes, identity, search, lifetime, raw } = request
    const { session, account } = identity
    notes.operation = id
    notes.isOperationKnown = true
    if (!session) throw unauthenticated()
    if (!satisfies(session.scopes, scopes)) throw insufficientScope(scopes, session)
    const { write } = service.database.for({ account, lifetime, after: positionIn(raw.headers) })
    let isBegun = false
    /** Waits for the points of a page but the first, with the slots of the request, so that an account has few exports at once. */
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
      if (watch.isStopped) throw new Refusal('UNAVAILABLE', 'The server stops.')
      const rows = await write.read(page)
      // The time limit of the delivery is that of each page.
      lifetime.suspend()()
      return rows
    })
    // A refusal of the first page is that of the response.
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
