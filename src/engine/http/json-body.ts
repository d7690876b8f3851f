import { isUtf8 } from 'node:buffer'
import { finished } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { Refusal } from '../errors.ts'
import { acceptBodies, bodyTypes, withHead } from './allowed-methods.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether a request may leave the JSON body out. */
    isBodyOptional?: boolean
  }
  interface FastifyRequest {
    /** The text of a JSON body; undefined if it was not read. */
    bodyText: string | undefined
    /** Why the body was refused. */
    bodyRefusal: unknown
  }
}

/** The largest body, in bytes. */
export const maxBody = 64 * 1024

/** The refusal of a body that is missing or has another type. */
export function notJson(method: string): Refusal {
  const message = `The body must be sent as ${bodyTypes(method).join(' or ')}.`
  return new Refusal('UNSUPPORTED_MEDIA_TYPE', message, { headers: acceptBodies([method]) })
}

/** The maximum number of values in JSON: names do not count, but arrays and objects do. */
export const maxValues = 1_000

/**
 * Lets the routes of a scope take the JSON bodies of a method, and no others. All methods but GET need one, unless the route says that
 * it is optional. `bodyText` keeps the text.
 * JSON has to be UTF-8 (RFC 8259, section 8.1): other bytes would be replaced silently.
 */
export function acceptJson(scope: FastifyInstance, method = 'POST'): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser<Buffer>(
    [...bodyTypes(method)],
    { parseAs: 'buffer', bodyLimit: maxBody },
    (request, body, done) => {
      try {
        const coding = request.headers['content-encoding'] || 'identity'
        if (coding.toLowerCase() !== 'identity')
          throw new Refusal('UNSUPPORTED_MEDIA_TYPE', 'The body must not be compressed.', {
            headers: { 'accept-encoding': 'identity' },
          })
        if (!isUtf8(body)) throw new Refusal('BAD_REQUEST', 'The body is not UTF-8.')
        request.bodyText = body.toString()
        // A byte order mark may be ignored (RFC 8259, section 8.1).
        done(null, parseJson(request.bodyText.replace(/^\ufeff/, '')))
      } catch (error) {
        // Fastify would close the connection after an error of the parser.
        request.bodyRefusal = error
        done(null)
      }
    },
  )
  scope.addHook('preValidation', async ({ method, bodyText, bodyRefusal, routeOptions }) => {
    if (bodyRefusal) throw bodyRefusal
    const isOptional = routeOptions.config.isBodyOptional || withHead('GET').includes(method)
    if (bodyText === undefined && !isOptional) throw notJson(method)
  })
}

/** Lets the routes of a scope ignore bodies, whatever they are. A request begins at the end of its body, because that may be malformed. */
export function ignoreBodies(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', (_request, body, done) => {
    body.resume()
    finished(body, { writable: false }, (error) => done(error ?? null))
  })
}

/** Parses JSON. Throws `BAD_REQUEST` if it has too many values, or with this message if it is malformed. */
export function parseJson(text: string, message = 'The body is not JSON.'): unknown {
  if (text.length >= maxValues && hasTooManyValues(text))
    throw new Refusal('BAD_REQUEST', `The JSON has more than ${maxValues} values.`)
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new Refusal('BAD_REQUEST', message, { cause })
  }
}

const [quote, backslash, comma, bracket, brace] = ['"', '\\', ',', '[', '{'].map((text) => text.charCodeAt(0))

/**
 * Whether JSON has more than `maxValues` values. All but the first follow a comma, or begin an array or object; an empty one counts
 * twice.
 */
function hasTooManyValues(text: string): boolean {
  let values = 1
  let isInString = false
  for (let at = 0; at < text.length && values <= maxValues; at += 1) {
    const character = text.charCodeAt(at)
    if (character === quote) isInString = !isInString
    else if (isInString) at += character === backslash ? 1 : 0
    else if (character === comma || character === bracket || character === brace) values += 1
  }
  return values > maxValues
}
