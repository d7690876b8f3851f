/** The middle one, or the mean of the middle two; NaN of nothing. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other)
  const middle = sorted.length >> 1
  const [low = Number.NaN, high = Number.NaN] = [sorted[sorted.length % 2 === 0 ? middle - 1 : middle], sorted[middle]]
  return (low + high) / 2
}

/** How well two lists agree on the order of what they measure: Spearman's rank correlation, from -1 to 1. */
export function rankCorrelation(one: readonly number[], other: readonly number[]): number {
  const [a, b] = [ranksOf(one), ranksOf(other)]
  const mean = (one.length - 1) / 2
  const sum = (term: (index: number) => number) => one.reduce((total, _value, index) => total + term(index), 0)
  const distance = (ranks: readonly number[], index: number) => (ranks[index] ?? Number.NaN) - mean
  const variance = (ranks: readonly number[]) => sum((index) => distance(ranks, index) ** 2)
  return sum((index) => distance(a, index) * distance(b, index)) / Math.sqrt(variance(a) * variance(b))
}

/** The rank of each value; equal ones share the mean of theirs. */
function ranksOf(values: readonly number[]): number[] {
  const sorted = values.toSorted((one, other) => one - other)
  return values.map((value) => (sorted.indexOf(value) + sorted.lastIndexOf(value)) / 2)
}

/** How far apart the values lie, as a part of their median. */
export function spread(values: readonly number[]): number {
  return (Math.max(...values) - Math.min(...values)) / median(values)
}

/** The value that so much of a sorted list lies at or below. */
export function percentile(sorted: Float64Array, part: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
}
