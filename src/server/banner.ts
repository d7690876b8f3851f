import type { Config } from '../config.ts'
import type { RunningServer } from './serve.ts'

/** The text that `rookery serve` prints: the URLs and, in the demo, a token. */
export function banner(
  { origin, metricsUrl, demoToken, whyNoToken }: RunningServer,
  { prefix, graphiql }: Pick<Config, 'prefix' | 'graphiql'>,
): string {
  const url = origin + prefix
  const places = [
    '',
    'Rookery is ready.',
    '',
    `  Start here             ${url}/`,
    `  ${graphiql ? 'GraphiQL and GraphQL' : 'GraphQL             '}   ${url}/graphql`,
    `  REST                   ${url}/api/v1`,
  ]
  if (metricsUrl !== undefined) places.push(`  Metrics                ${metricsUrl}`)
  if (whyNoToken !== undefined)
    places.push('', `  There is no demo token: ${whyNoToken}`, '  "rookery token create ada" issues one.')
  if (demoToken === undefined) return [...places, ''].join('\n')
  return [
    ...places,
    '',
    '  A token to try, valid until it stops:',
    '',
    `    ${demoToken}`,
    '',
    `  curl -H 'Authorization: Bearer ${demoToken}' ${url}/api/v1/user`,
    '',
  ].join('\n')
}
