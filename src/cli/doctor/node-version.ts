import { type Check, checksOf } from './check.ts'

/** What package.json permits in its `engines`: what the Prisma client needs. */
export const nodeRange = '^20.19 || ^22.12 || >=24.0'

/** The oldest minor version of those before 24. */
const oldest: Readonly<Record<number, number>> = { 20: 19, 22: 12 }

/** Whether this Node.js is one of those. */
export function checkNode(version = process.versions.node): Check {
  const { ok, problem } = checksOf('Node.js')
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (major >= 24 || minor >= (oldest[major] ?? Number.POSITIVE_INFINITY)) return ok(`${version}.`)
  return problem(`${version} is not one of ${nodeRange}.`, 'Install Node.js 24 or newer, or the newest 22 or 20.')
}
