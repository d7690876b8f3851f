import { type Check, checksOf } from './check.ts'

/** The oldest that package.json permits, in its `engines`. */
export const oldestNode = [20, 19] as const

/** Whether this Node.js is new enough. */
export function checkNode(version = process.versions.node): Check {
  const { ok, problem } = checksOf('Node.js')
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [oldestMajor, oldestMinor] = oldestNode
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return ok(`${version}.`)
  return problem(`${version} is too old.`, `Install Node.js ${oldestNode.join('.')} or newer.`)
}
