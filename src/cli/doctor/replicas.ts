import type { Backend } from '../../data/backend.ts'
import { messageOf } from '../../data/database-error.ts'
import { openReplica, replicationFacts, whyNoReplica } from '../../data/replica.ts'
import { withoutPassword } from '../../database-url.ts'
import type { Log } from '../../log.ts'
import { type Check, check } from './check.ts'

/** Checks that each of these servers is a standby of the primary. */
export async function checkReplicas(urls: readonly string[], primary: Backend, log: Log): Promise<Check[]> {
  if (urls.length === 0) return []
  const { identity } = await replicationFacts(primary)
  return Promise.all(urls.map((url) => checkReplica(url, identity, primary, log)))
}

async function checkReplica(url: string, identity: string, primary: Backend, log: Log): Promise<Check> {
  const replica = openReplica(url, 1, primary, log)
  const why = await replicationFacts(replica)
    .then((facts) => whyNoReplica(facts, identity))
    .catch(messageOf)
    .finally(() => replica.close())
  if (why === undefined) return check('ok', 'Replica', `${withoutPassword(url)} is a standby.`)
  const message = `${withoutPassword(url)} is not used: ${why}.`
  return check('warning', 'Replica', message, 'Correct DATABASE_REPLICA_URLS, or see to that server.')
}
