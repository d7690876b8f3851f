import { type Config, ConfigError, variableNames } from '../../config.ts'
import { requireListening } from '../../server/listen.ts'
import { type Check, check } from './check.ts'

const letters = (name: string) => name.toUpperCase().replace(/^ROOKERY_|[^A-Z0-9]/g, '')

/** Whether two texts are equal, or differ in one added, missing or different character. */
function isNear(a: string, b: string): boolean {
  let same = 0
  while (same < a.length && a[same] === b[same]) same += 1
  const [restOfA, restOfB] = [a.slice(same), b.slice(same)]
  return restOfA.slice(1) === restOfB.slice(1) || restOfA.slice(1) === restOfB || restOfA === restOfB.slice(1)
}

/** Warns of each environment variable whose name is nearly that of a variable of Rookery, and that therefore has no effect. */
export function checkVariableNames(names: readonly string[]): Check[] {
  return names.flatMap((name) => {
    if (variableNames.includes(name)) return []
    const meant = variableNames.find((variable) => {
      const [written, wanted] = [letters(name), letters(variable)]
      // Shorter names, such as HOST, are close to unrelated variables.
      return written === wanted || (wanted.length >= 6 && isNear(written, wanted))
    })
    return meant === undefined
      ? []
      : [check('warning', 'Variables', `${name} has no effect.`, `Did you mean ${meant}?`)]
  })
}

/** Checks that the server can listen on the configured address. */
export async function checkPort({ host, port }: Config): Promise<Check> {
  try {
    await requireListening({ host, port })
    return check('ok', 'Address', port === 0 ? `Any free port on ${host}.` : `Port ${port} on ${host} is free.`)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    if (!(await isRookery(host, port))) return check('problem', 'Address', error.message)
    const message = `Rookery already listens on port ${port} of ${host}.`
    return check('warning', 'Address', message, 'To run a second server, set PORT.')
  }
}

async function isRookery(host: string, port: number): Promise<boolean> {
  const address = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  const url = `http://${address.includes(':') ? `[${address}]` : address}:${port}/api/v1/user`
  const request = fetch(url, { signal: AbortSignal.timeout(10_000), redirect: 'manual' })
  return request.then(({ headers }) => headers.has('api-version')).catch(() => false)
}
