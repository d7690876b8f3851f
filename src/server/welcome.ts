import type { Running } from './serve.ts'

/** What whoever starts the server reads: where it is, and in the demo a token to try it with. */
export function welcome({ origin, demoToken }: Running): string {
  const places = [
    '',
    'Rookery is ready.',
    '',
    `  Start here             ${origin}/`,
    `  GraphiQL and GraphQL   ${origin}/graphql`,
    `  REST                   ${origin}/api/v1`,
  ]
  if (demoToken === undefined) return [...places, ''].join('\n')
  return [
    ...places,
    '',
    '  A token to try, valid until it stops:',
    '',
    `    ${demoToken}`,
    '',
    `  curl -H 'Authorization: Bearer ${demoToken}' ${origin}/api/v1/user`,
    '',
  ].join('\n')
}
