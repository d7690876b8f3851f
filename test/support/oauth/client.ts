import * as oauth from 'openid-client'
import type { Person, TestApp } from '../app.ts'
import { password } from '../graphql/sign-in.ts'
import { hashOf } from '../passwords.ts'
import { type Loaded, OAuthBrowser, scopesOffered } from './browser.ts'

/** The redirect URI of the client of these tests: a loopback address with any port. */
export const redirectUri = 'http://127.0.0.1:51234/callback'

/** What openid-client is told: the server has no TLS. */
export const insecure = { execute: [oauth.allowInsecureRequests], algorithm: 'oauth2' as const }

/** A person with the usual password. */
export async function personWithPassword(app: TestApp, username?: string): Promise<Person> {
  const person = await app.person(username)
  const passwordHash = await hashOf(password)
  await app.database.write.prisma.user.update({ where: { id: person.id }, data: { passwordHash } })
  return person
}

/** Registers an application of a person with redirect URIs, and returns its client id. */
export async function fixedClient(
  app: TestApp,
  owner: Person,
  { name = 'Test client', redirectUris = ['http://127.0.0.1/callback'], deviceFlow = false } = {},
): Promise<string> {
  const { id } = await app.database.write.prisma.application.create({
    data: { id: crypto.randomUUID(), ownerId: owner.id, name, redirectUris, deviceFlow },
  })
  return id
}

/** How somebody goes through the flow, where that is not the usual way. */
export type FlowOptions = {
  readonly browser?: OAuthBrowser
  readonly redirect?: string
  readonly scope?: string
  /** The scopes to tick; by default all. */
  readonly chosen?: readonly string[]
  readonly answer?: 'allow' | 'deny'
  readonly parameters?: Record<string, string>
}

/** A request of an application, up to the return to it. */
export type Flow = {
  readonly config: oauth.Configuration
  readonly browser: OAuthBrowser
  /** The pages that were shown. */
  readonly pages: readonly Loaded[]
  /** Where the browser has come to. */
  readonly end: Loaded
  readonly verifier: string
  /** Exchanges the code for tokens. */
  exchange(): Promise<oauth.TokenEndpointResponse & oauth.TokenEndpointResponseHelpers>
}

/** Discovers the server as a client does. */
export const configurationOf = (origin: string, clientId: string): Promise<oauth.Configuration> =>
  oauth.discovery(new URL(origin), clientId, { token_endpoint_auth_method: 'none' }, oauth.None(), insecure)

/** Signs in and gives consent where a page asks for it. */
export async function answerPages(
  browser: OAuthBrowser,
  url: string,
  username: string,
  { answer = 'allow', chosen }: Pick<FlowOptions, 'answer' | 'chosen'> = {},
): Promise<Pick<Flow, 'pages' | 'end'>> {
  const pages: Loaded[] = []
  let end = await browser.open(url)
  if (end.text.includes('/sign-in"')) {
    pages.push(end)
    end = await browser.submit(end, { username, password })
  }
  if (end.text.includes('/consent"')) {
    pages.push(end)
    end = await browser.submit(end, { answer, scope: chosen ?? scopesOffered(end) })
  }
  return { pages, end }
}

/** A request of an application to connect, of which nobody waits for the answer. */
export async function authorizationUrl(app: Pick<TestApp, 'origin'>, clientId: string): Promise<string> {
  const code_challenge = await oauth.calculatePKCECodeChallenge(oauth.randomPKCECodeVerifier())
  const asked = { redirect_uri: redirectUri, scope: 'post.get', code_challenge, code_challenge_method: 'S256' }
  return oauth.buildAuthorizationUrl(await configurationOf(app.origin, clientId), asked).href
}

/** Goes through the authorization code flow with PKCE, as a person in a browser. */
export async function authorize(
  app: Pick<TestApp, 'origin'>,
  clientId: string,
  username: string,
  options: FlowOptions = {},
): Promise<Flow> {
  const { browser = new OAuthBrowser(app.origin), redirect = redirectUri, scope = 'post.get user.get' } = options
  const config = await configurationOf(app.origin, clientId)
  const verifier = oauth.randomPKCECodeVerifier()
  const state = oauth.randomState()
  const url = oauth.buildAuthorizationUrl(config, {
    redirect_uri: redirect,
    scope,
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    ...options.parameters,
  })
  const { pages, end } = await answerPages(browser, url.href, username, options)
  const exchange: Flow['exchange'] = () =>
    oauth.authorizationCodeGrant(config, new URL(end.url), { pkceCodeVerifier: verifier, expectedState: state })
  return { config, browser, pages, end, verifier, exchange }
}
