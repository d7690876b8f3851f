import { z } from 'zod'
import { Refusal } from '../errors.ts'
import { parseJson } from '../http/json-body.ts'

/** An object whatever it has, since its parts are checked later. */
const object = (message: string) =>
  z.custom<Record<string, unknown>>((it) => typeof it === 'object' && it !== null && !Array.isArray(it), message)

/** Others are ignored: some clients add an `id`. */
const form = z.object(
  {
    query: z.string('query must be a string.').nullish(),
    documentId: z.string('documentId must be a string.').nullish(),
    variables: object('variables must be a JSON object.').nullish(),
    operationName: z.string('operationName must be a string.').nullish(),
    extensions: object('extensions must be a JSON object.').nullish(),
  },
  'The body must be a JSON object.',
)

/** The parameters of a request (GraphQL over HTTP, section 5.1). */
export type Parameters = Pick<
  z.infer<typeof form>,
  'query' | 'documentId' | 'variables' | 'operationName' | 'extensions'
>

/** Checks the parameters in a JSON body. Throws `BAD_REQUEST`, which names what is wrong. */
export function parametersIn(body: unknown): Parameters {
  const checked = form.safeParse(body)
  if (checked.success) return checked.data
  throw new Refusal('BAD_REQUEST', checked.error.issues[0]?.message ?? 'The parameters are wrong.')
}

/** Checks the parameters in a query string. Others are ignored. Throws `BAD_REQUEST`, which names what is wrong. */
export function parametersInUrl(given: URLSearchParams): Parameters {
  const object = (name: string) => {
    const text = given.get(name)
    return text ? parseJson(text, `${name} must be a JSON object.`) : undefined
  }
  return parametersIn({
    query: given.get('query') || undefined,
    documentId: given.get('documentId') || undefined,
    variables: object('variables'),
    operationName: given.get('operationName'),
    extensions: object('extensions'),
  })
}
