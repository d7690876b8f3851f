import { isUtf8 } from 'node:buffer'
import { z } from 'zod'
import { Refusal } from '../errors.ts'

const parameters = z
  .object(
    {
      query: z.string('query must be a string.'),
      variables: z.record(z.string(), z.unknown(), 'variables must be a JSON object.').nullish(),
      operationName: z.string('operationName must be a string.').nullish(),
      extensions: z.record(z.string(), z.unknown(), 'extensions must be a JSON object.').nullish(),
    },
    'The body must be a JSON object.',
  )
  .catchall(z.null('The parameters are query, variables, operationName and extensions.'))

/** The parameters of a request (GraphQL over HTTP, section 5.1). */
export type Parameters = z.infer<typeof parameters>

/** The parameters in a body. Throws `BAD_REQUEST`. */
export function parametersInBody(body: Buffer): Parameters {
  // JSON has to be UTF-8 (RFC 8259, section 8.1).
  if (!isUtf8(body)) throw new Refusal('BAD_REQUEST', 'The body is not UTF-8.')
  return check(parseJson(body.toString(), 'The body is not JSON.'))
}

/** The parameters in a query string; others are ignored. Throws `BAD_REQUEST`. */
export function parametersInUrl(given: URLSearchParams): Parameters {
  const object = (name: string) => {
    const text = given.get(name)
    return text ? parseJson(text, `${name} must be a JSON object.`) : undefined
  }
  return check({
    query: given.get('query') || undefined,
    variables: object('variables'),
    operationName: given.get('operationName') || undefined,
    extensions: object('extensions'),
  })
}

function parseJson(text: string, wrong: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new Refusal('BAD_REQUEST', wrong, { cause })
  }
}

function check(given: unknown): Parameters {
  const checked = parameters.safeParse(given)
  if (checked.success) return checked.data
  throw new Refusal('BAD_REQUEST', checked.error.issues[0]?.message ?? 'The parameters are wrong.')
}
