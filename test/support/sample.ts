import fc from 'fast-check'
import { inject } from 'vitest'

/**
 * So many of these cases, others each day. `SAMPLE=<seed>` selects those of an earlier run, whose seed the tests printed when they
 * started, and `SAMPLE=all` all cases.
 */
export function sample<T>(cases: readonly T[], count: number): readonly T[] {
  const seed = inject('sampleSeed')
  if (seed === 'all' || cases.length <= count) return cases
  const selections = fc.subarray([...cases], { minLength: count, maxLength: count })
  return fc.sample(selections, { seed, numRuns: 1 }).flat()
}
