import { invalid } from '../errors.ts'

/** How many objects a list in the arguments of a field looks up at most. */
export const maxLookups = 100

/** The list in the argument of this name. Throws `VALIDATION_FAILED` when it is too long. */
export function lookupList(name: string, list: unknown): readonly unknown[] {
  // A variable with a default may be null.
  const items = Array.isArray(list) ? list : []
  if (items.length > maxLookups) throw invalid({ field: name, message: `must have at most ${maxLookups} elements` })
  return items
}
