import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { z } from 'zod'
import { type ErrorCode, errorCodes } from '../../../src/errors.ts'
import type { RawBytes } from '../raw-request.ts'
import type { RandomHttpRequest } from './request.ts'

const sentence = z.string().regex(/\S/)
const code = z.enum(Object.keys(errorCodes).filter((name): name is ErrorCode => name in errorCodes))
const fieldErrors = z.array(z.strictObject({ field: z.string(), message: sentence })).min(1)
const scopeSets = z.array(z.array(z.string()).min(1)).min(1)

/** A problem document (RFC 9457) of the REST interface. */
const problem = z
  .strictObject({
    type: z.string(),
    title: sentence,
    status: z.int(),
    detail: sentence,
    code,
    errors: fieldErrors.optional(),
    requiredScopes: scopeSets.optional(),
  })
  .refine((it) => it.status === errorCodes[it.code].status && it.type === `urn:rookery:error:${it.code.toLowerCase()}`)

const graphqlError = z.strictObject({
  message: sentence,
  locations: z.array(z.strictObject({ line: z.int(), column: z.int() })).optional(),
  path: z.array(z.union([z.string(), z.int()])).optional(),
  extensions: z.strictObject({
    code,
    errors: fieldErrors.optional(),
    requiredScopes: scopeSets.optional(),
  }),
})

/** The response to an operation, or to a request without one. */
const result = z
  .strictObject({
    data: z.record(z.string(), z.unknown()).nullable().optional(),
    errors: z.array(graphqlError).min(1).optional(),
  })
  .refine((it) => it.errors !== undefined || (it.data !== undefined && it.data !== null))

function textOf({ headers, body }: RawBytes): string {
  const encoding = body.length > 0 ? headers['content-encoding'] : undefined
  const bytes = encoding === 'br' ? brotliDecompressSync(body) : encoding === 'gzip' ? gunzipSync(body) : body
  return bytes.toString()
}

function faultsOfBody({ method, path }: RandomHttpRequest, status: number, type: string, text: string): string[] {
  if (method === 'HEAD' || status === 204 || status === 304) return text === '' ? [] : ['it has a body']
  if (type.startsWith('text/html')) return text.startsWith('<!doctype html>') ? [] : ['it is not a page']
  const value: unknown = JSON.parse(text)
  if (path.startsWith('/graphql')) {
    const parsed = result.safeParse(value)
    if (!parsed.success) return [z.prettifyError(parsed.error)]
    return status >= 400 && parsed.data.errors === undefined ? ['it has no errors'] : []
  }
  if (status < 400) return type.startsWith('application/json') ? [] : [`its type is ${type}`]
  const parsed = problem.safeParse(value)
  if (!parsed.success) return [z.prettifyError(parsed.error)]
  return parsed.data.status === status && type === 'application/problem+json' ? [] : ['it is another problem']
}

/** What is wrong with a response to any request: a failure of the server, an undocumented form, or a text that the caller may not see. */
export function faultsOf(request: RandomHttpRequest, answer: RawBytes, secrets: readonly string[]): string[] {
  const { status = 0, headers } = answer
  const text = textOf(answer)
  const all = `${JSON.stringify(headers)} ${text}`
  return [
    ...(status >= 200 && status < 500 ? [] : [`its status is ${status}`]),
    ...faultsOfBody(request, status, String(headers['content-type'] ?? ''), text),
    ...secrets.filter((secret) => all.includes(secret)).map((secret) => `it has ${secret}`),
  ]
}
