import { Readable } from 'node:stream'
import { requireScopes } from '../../engine/auth/scope-checks.ts'
import { Refusal } from '../../engine/errors.ts'
import type { ApiServices } from '../../engine/http/api-services.ts'
import { refuseTags } from '../../engine/http/entity-tags.ts'
import { positionIn } from '../../engine/http/position.ts'
import { checkTokenAgain } from '../../engine/http/viewer.ts'
import type { Endpoint } from '../../engine/rest/interface.ts'
import { exportPagePrice, exportPages } from './export.ts'
import type { getExport } from './rest.ts'

/** Streams an export. It reads a page when the client has received the one before, and holds no connection to the database meanwhile. */
export function exportEndpoint(
  { id, scopes, response }: typeof getExport,
  { database, viewers, watch, log }: ApiServices,
): Endpoint {
  return async (request, reply) => {
    const { logEntry, account, head, lifetime, raw } = request
    logEntry.operation = id
    logEntry.isOperationKnown = true
    const { viewer, query } = head
    requireScopes(viewer, scopes)
    refuseTags(raw.headers)
    const { write } = database.for({ account, lifetime, after: positionIn(raw.headers) })
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
    const pages = exportPages(viewer.id, query.get('after') ?? undefined, async (page) => {
      const { tokenRefusal } = await checkTokenAgain(request, viewers)
      if (tokenRefusal) throw tokenRefusal
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
