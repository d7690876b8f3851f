import { invalid } from '../errors.ts'
import { maxLookups } from '../reads/lookup-list.ts'
import { uuidFormat } from './paths.ts'
import type { Variables } from './variables.ts'

/** `$uuids`, from each `uuid` of the query. Throws `VALIDATION_FAILED` for a malformed one, for none, and for too many. */
export function readUuids(query: URLSearchParams): Variables {
  const uuids = query.getAll('uuid')
  if (uuids.length === 0 || uuids.length > maxLookups)
    throw invalid({ field: 'uuid', message: `must be given 1 to ${maxLookups} times` })
  if (!uuids.every((uuid) => uuidFormat.test(uuid))) throw invalid({ field: 'uuid', message: 'must be a UUID' })
  return { uuids }
}
