import { checkDocumented } from './documented-answers.ts'

/** A call of the REST interface: the path is below `/api/v1`, and a body that is not a string is sent as JSON. */
export type RestCall = [
  token: string | undefined,
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
]

/** The header with the token. */
export function authorization(token: string | undefined): Record<string, string> {
  return token === undefined ? {} : { authorization: `Bearer ${token}` }
}

/** Calls the REST interface of a server. Rejects if the OpenAPI document does not contain the response. */
export async function callRest(
  origin: string,
  ...[token, method, path, body, headers = {}]: RestCall
): Promise<Response> {
  const response = await fetch(`${origin}/api/v1${path}`, {
    method,
    headers: {
      ...authorization(token),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  checkDocumented({
    method,
    path: `/api/v1${path}`,
    status: response.status,
    headers: new Map(response.headers),
    body: await response.clone().text(),
  })
  return response
}
