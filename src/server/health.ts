import type { Database } from '../data/database.ts'
import { type Answer, json } from './answer.ts'

/** How long the database may take to say that it is there, in milliseconds. */
const patience = 2_000

/** `/health/live`: the process answers. */
export function live(): Answer {
  return json(200, { status: 'ok' })
}

/** `/health/ready`: whether requests should be sent here; 503 while it stops or its database does not answer. */
export async function ready(database: Database, isStopping: boolean): Promise<Answer> {
  if (isStopping) return json(503, { status: 'stopping' })
  const late = new Promise<boolean>((resolve) => setTimeout(resolve, patience, false).unref())
  const answers = await Promise.race([
    database.ping().then(
      () => true,
      () => false,
    ),
    late,
  ])
  return answers ? json(200, { status: 'ok' }) : json(503, { status: 'the database does not answer' })
}
