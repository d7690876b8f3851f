import { scopes } from '../../base/scopes.ts'

/** The client of the pages of this server itself, such as the timeline. It is not registered, and gets no refresh tokens. */
export const webClient = { id: 'rookery-web', name: 'Rookery Web', callback: '/oauth/callback' } as const

/** The URL where these pages sign in, to which each sign-in adds its `state` and `code_challenge`. */
export function signInUrl(issuer: string): string {
  const parameters = {
    client_id: webClient.id,
    redirect_uri: issuer + webClient.callback,
    response_type: 'code',
    scope: scopes.join(' '),
    code_challenge_method: 'S256',
  }
  return `${issuer}/oauth/authorize?${new URLSearchParams(parameters)}`
}
