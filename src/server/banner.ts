import type { RunningServer } from './serve.ts'

/** The text that `rookery serve` prints: the URLs and, in the demo, a token. */
export function banner({ url, metricsUrl, hasGraphiQL, demoToken, whyNoToken }: RunningServer): string {
  const places = [
    '',
    'Rookery is ready.',
    '',
    `  Start here             ${url}/`,
    `  ${hasGraphiQL ? 'GraphiQL and GraphQL' : 'GraphQL             '}   ${url}/graphql`,
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
