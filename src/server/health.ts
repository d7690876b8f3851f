import { Refusal, retryHeaders } from '../errors.ts'
import { type HttpResponse, jsonResponse } from '../http/response.ts'
import type { App } from './app.ts'

/** How long the database may take to answer a ping, in milliseconds. */
const pingTimeout = 2_000

/** `/health/live`: the process responds. */
export function live(): HttpResponse {
  return jsonResponse(200, { status: 'ok' })
}

/** `/health/ready`: whether to route requests here. 503 while the server stops or cannot keep up, or the database does not respond. */
export async function ready({ database, isStopping, isBehind }: App): Promise<HttpResponse> {
  if (isStopping?.()) return notReady('stopping')
  if (isBehind?.()) return notReady('the event loop is behind')
  const late = new Promise<boolean>((resolve) => setTimeout(resolve, pingTimeout, false).unref())
  const answers = await Promise.race([
    database.ping().then(
      () => true,
      () => false,
    ),
    late,
  ])
  return answers ? jsonResponse(200, { status: 'ok' }) : notReady('the database does not answer')
}

function notReady(status: string): HttpResponse {
  return jsonResponse(503, { status }, retryHeaders(new Refusal('UNAVAILABLE', status)))
}
