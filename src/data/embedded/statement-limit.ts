/** The default time limit of a statement in milliseconds. Without one, nothing could end it. */
const longest = 300_000

/** Units of `statement_timeout` (PostgreSQL documentation, section 19.1), in milliseconds. */
const units: ReadonlyMap<string, number> = new Map([
  ['', 1],
  ['ms', 1],
  ['s', 1_000],
  ['min', 60_000],
])

/** The time limit of a client's statements in milliseconds, from `statement_timeout` in its startup parameters or their `options`. */
export function statementLimit(parameters: ReadonlyMap<string, string>): number {
  const [, inOptions] = /statement_timeout\s*=\s*'?([^\s']+)/.exec(parameters.get('options') ?? '') ?? []
  const [, count, unit = ''] = /^(\d+)\s*(\w*)$/.exec(parameters.get('statement_timeout') ?? inOptions ?? '') ?? []
  const limit = Number(count ?? 0) * (units.get(unit) ?? 0)
  return limit > 0 ? Math.min(limit, longest) : longest
}
