/** The severity of a check. A problem keeps the server from running, a warning does not. */
export type Status = 'ok' | 'warning' | 'problem'

/** The result of a check. */
export type Check = ReturnType<typeof check>

/** Makes the result of a check, with advice if something should change. */
export function check(status: Status, name: string, message: string, advice?: string) {
  return { name, status, message, advice }
}

/** The supported versions, equal to `engines` in package.json. The Prisma client sets them. */
export const nodeRange = '^20.19 || ^22.12 || >=24.0'

/** The oldest supported minor version of each major version before 24. */
const oldest: Readonly<Record<number, number>> = { 20: 19, 22: 12 }

/** Checks that a version of Node.js is supported. */
export function checkNode(version = process.versions.node): Check {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (major >= 24 || minor >= (oldest[major] ?? Number.POSITIVE_INFINITY)) return check('ok', 'Node.js', `${version}.`)
  const message = `${version} is not supported (${nodeRange}).`
  return check('problem', 'Node.js', message, 'Install Node.js 24 or newer, or the latest 22 or 20.')
}
