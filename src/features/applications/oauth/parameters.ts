import type { FastifyRequest } from 'fastify'
import { Refusal } from '../../../engine/errors.ts'
import { isDecodable, readQuery } from '../../../engine/http/url.ts'

/** The most characters of a parameter, as all of them may be stored. */
const longestParameter = 2_048

const refuse = (what: string) => new Refusal('BAD_REQUEST', `A parameter ${what}.`)

function requireText(text: string): void {
  if (text.includes('\0') || !text.isWellFormed()) throw refuse('has a NUL or is not UTF-8')
}

function requireParameters(parameters: URLSearchParams): void {
  for (const text of [...parameters].flat()) {
    requireText(text)
    if (text.length > longestParameter)
      throw refuse(`has more than ${longestParameter.toLocaleString('en')} characters`)
  }
}

/** Checks all texts in JSON, as deep as they can be read. What is no JSON is refused elsewhere. */
function requireJson(text: string): void {
  try {
    JSON.parse(text, (name, value: unknown) => {
      requireText(name)
      if (typeof value === 'string') requireText(value)
      return value
    })
  } catch (error) {
    if (error instanceof RangeError) throw refuse('is nested too deeply')
    if (!(error instanceof SyntaxError)) throw error
  }
}

/** Refuses a request with a parameter that cannot be stored, wherever it is: in the query, a form or the JSON of a registration. */
export function requireStorable({ raw, routeOptions, body }: FastifyRequest): void {
  requireParameters(readQuery(raw))
  if (typeof body !== 'string' && !Buffer.isBuffer(body)) return
  const text = body.toString()
  if (routeOptions.url === '/oauth/register') requireJson(text)
  else if (isDecodable(text)) requireParameters(new URLSearchParams(text))
  else throw refuse('has a NUL or is not UTF-8')
}
