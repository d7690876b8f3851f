import { resolve } from 'node:path'
import { withoutPassword } from '../engine/data/database-url.ts'
import type { Config } from './config.ts'
import type { RunningServer } from './serve.ts'

/** The text that `rookery serve` prints: its address, a token, a first command, where the data is, and how to stop it. */
export function banner(
  { origin, metricsUrl, demoToken, whyNoToken }: RunningServer,
  { prefix, databaseUrl, dataDir }: Pick<Config, 'prefix' | 'databaseUrl' | 'dataDir'>,
): string {
  const url = origin + prefix
  const lines = {
    Open: `${url}/`,
    Token: demoToken ?? '"rookery token create <username>" issues one',
    Try: `curl -H 'Authorization: Bearer ${demoToken ?? '<token>'}' ${url}/api/v1/user`,
    Data: databaseUrl === undefined ? resolve(dataDir) : withoutPassword(databaseUrl),
    Stop: demoToken === undefined ? 'Ctrl-C' : 'Ctrl-C, which ends the token and keeps the data',
    ...(metricsUrl !== undefined && { Metrics: metricsUrl }),
  }
  const width = Math.max(...Object.keys(lines).map((name) => name.length)) + 2
  const shown = Object.entries(lines).map(([name, text]) => `  ${name.padEnd(width)}${text}`)
  const why = whyNoToken === undefined ? [] : ['', `  There is no demo token: ${whyNoToken}`]
  return ['', 'Rookery is ready.', '', ...shown, ...why, ''].join('\n')
}
