import { Readable } from 'node:stream'
import { z } from 'zod'
import { requireScopes, requireUnrestricted, type Use } from '../../engine/auth/viewers.ts'
import { Refusal } from '../../engine/errors.ts'
import { requireViewer } from '../../engine/execution/request-context.ts'
import type { ApiServices } from '../../engine/http/api-services.ts'
import { positionIn } from '../../engine/http/position.ts'
import { refuseTags } from '../../engine/http/static-text.ts'
import { checkTokenAgain } from '../../engine/http/viewer.ts'
import { Component, type Json, ref } from '../../engine/rest/openapi/json.ts'
import type { Documented, Endpoint } from '../../engine/rest/operation.ts'
import type { ScopeSets } from '../../engine/scopes.ts'
import { capitalized } from '../base/relations.ts'
import { groups } from '../base/rest-groups.ts'
import { exportPagePrice, exportPages } from './export.ts'
import { exportLines, header } from './lines.ts'

/** The type of JSON Lines, as OpenAPI 3.2 names it. None is registered. */
const jsonLines = 'application/jsonl'

const sampleCursor = 'AAAAAQABmrLEAABwAIAAAAAAAACh-xQ3vRka'

const sampleLine = { type: 'end', cursor: 'AAAAAwsAAAAAAAAAAAAAAAAAAAAAk9dW_0Tz', lines: 3 } as const

const nameOf = (type: string) => `Export${capitalized(type)}`

/** The schema of what is imported, without alternatives for null, which many generators turn into types of their own. */
function jsonSchemaOf(schema: z.ZodType): Json {
  const { $schema, ...json } = z.toJSONSchema(schema, {
    io: 'input',
    override: ({ zodSchema, jsonSchema }) => {
      if (jsonSchema.pattern) jsonSchema.pattern = jsonSchema.pattern.replaceAll('\\/', '/')
      const [value] = jsonSchema.anyOf ?? []
      if (zodSchema._zod.def.type !== 'nullable' || !value?.type) return
      const { anyOf, ...own } = jsonSchema
      delete jsonSchema.anyOf
      Object.assign(jsonSchema, value, own, { type: [value.type, 'null'] })
    },
  })
  return json
}

const lines = exportLines.map((line) => {
  const type = line.shape.type.value
  return { type, schema: new Component(nameOf(type), jsonSchemaOf(line)) }
})

const anyLine = new Component('ExportLine', {
  oneOf: lines.map(({ schema }) => schema),
  discriminator: {
    propertyName: 'type',
    mapping: Object.fromEntries(lines.map(({ type }) => [type, ref('schemas', nameOf(type)).$ref])),
  },
  description: 'A line of an export.',
})

/**
 * Get export, which the interface does not have. It runs no GraphQL document: it streams what belongs to the account, not what the
 * viewer sees.
 */
export const getExport = {
  id: 'getExport',
  method: 'GET',
  path: '/export',
  group: groups.users,
  scopes: [['account.export']] satisfies ScopeSets,
  summary: 'Export the account',
  description:
    'Everything that belongs to the viewer, as JSON Lines: each line is an object with a `type`. Only a ' +
    'complete export ends with a line of the type `end`; a failure closes the connection before it. ' +
    'Times are in RFC 3339. `rookery user import` imports it.',
  query: {
    after: {
      description:
        'The `cursor` of a line of an earlier export of the account, after which this one resumes. Anything ' +
        'else gets 422, also the cursor of another account, or of a version with other types of lines: start ' +
        'again then.',
      schema: jsonSchemaOf(header.shape.cursor),
      example: sampleCursor,
    },
  },
  type: jsonLines,
  view: { description: 'The lines of the export.', schema: anyLine, examples: { ExportLine: sampleLine } },
} as const satisfies Documented

/** Streams an export. It reads a page when the client has received the one before, and holds no connection to the database meanwhile. */
export function exportEndpoint(
  { id, scopes, type }: typeof getExport,
  { database, viewers, watch, log }: ApiServices,
): Endpoint {
  return async (request, reply) => {
    const { logEntry, rateLimitKey, head, lifetime, raw } = request
    logEntry.report({ operation: id, isOperationKnown: true })
    const viewer = requireViewer(request)
    const use: Use = { isWrite: false, sets: scopes, staysOpenTo: ['suspended'] }
    requireUnrestricted(viewer, use)
    requireScopes(viewer, scopes)
    refuseTags(raw.headers)
    const { write } = database.for({ rateLimitKey, lifetime, after: positionIn(raw.headers) })
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
    const pages = exportPages(viewer.id, head.query.get('after') ?? undefined, async (page) => {
      requireUnrestricted(requireViewer(await checkTokenAgain(request, viewers)), use)
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
    return reply.type(type).send(Readable.from(request.method === 'HEAD' ? [] : lines()))
  }
}
