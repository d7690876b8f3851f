import { type Check, checksOf } from './check.ts'

/** The supported versions, equal to `engines` in package.json. The Prisma client sets them. */
export const nodeRange = '^20.19 || ^22.12 || >=24.0'

/** The oldest supported minor version of each major version before 24. */
const oldest: Readonly<Record<number, number>> = { 20: 19, 22: 12 }

/** Checks that a version of Node.js is supported. */
export function checkNode(version = process.versions.node): Check {
  const { ok, problem } = checksOf('Node.js')
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (major >= 24 || minor >= (oldest[major] ?? Number.POSITIVE_INFINITY)) return ok(`${version}.`)
  return problem(`${version} is not supported (${nodeRange}).`, 'Install Node.js 24 or newer, or the latest 22 or 20.')
}
