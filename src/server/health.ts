import { retryHeaders } from '../errors.ts'
import { type Answer, json } from './answer.ts'
import type { App } from './listener.ts'

/** How long the database may take to say that it is there, in milliseconds. */
const patience = 2_000

/** `/health/live`: the process answers. */
export function live(): Answer {
  return json(200, { status: 'ok' })
}

/** `/health/ready`: whether requests should be sent here; 503 while it stops, cannot keep up, or its database does not answer. */
export async function ready({ database, isStopping, isBehind }: App): Promise<Answer> {
  if (isStopping?.()) return notReady('stopping')
  if (isBehind?.()) return notReady('the event loop is behind')
  const late = new Promise<boolean>((resolve) => setTimeout(resolve, patience, false).unref())
  const answers = await Promise.race([
    database.ping().then(
      () => true,
      () => false,
    ),
    late,
  ])
  return answers ? json(200, { status: 'ok' }) : notReady('the database does not answer')
}

function notReady(status: string): Answer {
  return json(503, { status }, retryHeaders('UNAVAILABLE'))
}
