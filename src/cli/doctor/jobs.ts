import type pg from 'pg'
import { countJobs, jobCounts } from '../../domain/jobs.ts'
import { type Check, check } from './check.ts'

/** Checks that no background jobs fail. */
export async function checkJobs(client: pg.ClientBase): Promise<Check> {
  const { rows } = await client.query(countJobs)
  const failing = jobCounts.parse(rows).filter((each) => each.failing > 0)
  if (failing.length === 0) return check('ok', 'Jobs', 'None has failed.')
  const kinds = failing.map(({ kind, failing: count, error }) => `${count} of ${kind}: ${error}.`)
  return check('warning', 'Jobs', `Failing, to be retried: ${kinds.join(' ')}`, 'The log of the server has more.')
}
