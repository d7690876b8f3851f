import { invalid } from '../../engine/errors.ts'

/** How many objects a list in the arguments of a field looks up at most. */
export const maxLookups = 100

/** The list in the argument of this name. Throws `VALIDATION_FAILED` when it is too long. */
export function lookupList(name: string, list: unknown, most = maxLookups): readonly unknown[] {
  // A variable with a default may be null.
  const items = Array.isArray(list) ? list : []
  if (items.length > most) throw invalid({ field: name, message: `must have at most ${most} elements` })
  return items
}
