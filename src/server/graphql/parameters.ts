import { z } from 'zod'
import { Refusal } from '../../errors.ts'
import { parseJson } from '../../http/body.ts'

const parameters = z
  .object(
    {
      query: z.string('query must be a string.').nullish(),
      documentId: z.string('documentId must be a string.').nullish(),
      variables: z.record(z.string(), z.unknown(), 'variables must be a JSON object.').nullish(),
      operationName: z.string('operationName must be a string.').nullish(),
      extensions: z.record(z.string(), z.unknown(), 'extensions must be a JSON object.').nullish(),
    },
    'The body must be a JSON object.',
  )
  .catchall(z.null('The parameters are query, documentId, variables, operationName and extensions.'))

/** The parameters of a request (GraphQL over HTTP, section 5.1). */
export type Parameters = z.infer<typeof parameters>

/** The parameters in a body. Throws `BAD_REQUEST`. */
export function parametersInBody(body: string): Parameters {
  return check(parseJson(body))
}

/** The parameters in a query string. Others are ignored. Throws `BAD_REQUEST`. */
export function parametersInUrl(given: URLSearchParams): Parameters {
  const object = (name: string) => {
    const text = given.get(name)
    return text ? parseJson(text, `${name} must be a JSON object.`) : undefined
  }
  return check({
    query: given.get('query') || undefined,
    documentId: given.get('documentId') || undefined,
    variables: object('variables'),
    operationName: given.get('operationName') || undefined,
    extensions: object('extensions'),
  })
}

function check(given: unknown): Parameters {
  const checked = parameters.safeParse(given)
  if (checked.success) return checked.data
  throw new Refusal('BAD_REQUEST', checked.error.issues[0]?.message ?? 'The parameters are wrong.')
}
