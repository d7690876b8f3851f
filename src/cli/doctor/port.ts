import { type Config, ConfigError } from '../../config.ts'
import { requireListening } from '../../server/listen.ts'
import { type Check, checksOf } from './check.ts'

/** Checks that the server can listen on the configured address. */
export async function checkPort({ host, port }: Config): Promise<Check> {
  const { ok, warning, problem } = checksOf('Address')
  try {
    await requireListening({ host, port })
    return ok(port === 0 ? `Any free port on ${host}.` : `Port ${port} on ${host} is free.`)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    if (!(await isRookery(host, port))) return problem(error.message)
    return warning(`Rookery already listens on port ${port} of ${host}.`, 'To run a second server, set PORT.')
  }
}

async function isRookery(host: string, port: number): Promise<boolean> {
  const address = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  const url = `http://${address.includes(':') ? `[${address}]` : address}:${port}/api/v1/user`
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(2_000), redirect: 'manual' })
    return response.headers.has('api-version')
  } catch {
    return false
  }
}
