import { type Config, ConfigError, variableNames } from '../../config.ts'
import { metricsPlace, originOf, type Place, requireListening } from '../../server/listen.ts'
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

/** Tells from a response whether Rookery gave it. */
type Tells = (response: Response) => boolean | Promise<boolean>

const isRest: Tells = ({ headers }) => headers.has('api-version')
const isMetrics: Tells = async (response) => (await response.text()).includes('rookery_')

/** Checks that the server can listen on the configured port, and on that of the metrics if there is one. */
export async function checkPorts(config: Config): Promise<Check[]> {
  const address = await checkPlace('Address', config, '/api/v1/user', isRest)
  const metrics = metricsPlace(config)
  return metrics ? [address, await checkPlace('Metrics', metrics, '/metrics', isMetrics)] : [address]
}

async function checkPlace(name: string, place: Place, path: string, tells: Tells): Promise<Check> {
  const { host, port, variable = 'PORT' } = place
  try {
    await requireListening(place)
    return check('ok', name, port === 0 ? `Any free port on ${host}.` : `Port ${port} on ${host} is free.`)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const address = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
    const request = fetch(originOf(address, port) + path, { signal: AbortSignal.timeout(10_000), redirect: 'manual' })
    if (!(await request.then(tells).catch(() => false))) return check('problem', name, error.message)
    const message = `Rookery already listens on port ${port} of ${host}.`
    return check('warning', name, message, `To run a second server, set ${variable}.`)
  }
}
