import { currentToken, prefix, setToken } from './token.ts'

const issuer = location.origin + prefix
const request = new URL(document.body.dataset.signIn ?? 'about:blank')
const { client_id = '', redirect_uri = '' } = Object.fromEntries(request.searchParams)

/** The client of these pages (RFC 6749, section 2). */
export const client = { client_id, redirect_uri }

/** The scopes that these pages ask for, separated by spaces. */
export const scope = request.searchParams.get('scope') ?? ''

/** Whether the reader can sign in here: at the address of the authorization server, where the browser computes digests. */
export const canSignIn = isSecureContext && request.href.startsWith(`${issuer}/oauth/`)

// What the callback needs: it continues in the same tab.
const key = 'rookery:sign-in'

/** Sends a form to the authorization server. */
const post = (path: string, fields: Record<string, string>) =>
  fetch(`${prefix}/oauth/${path}`, { method: 'POST', body: new URLSearchParams(fields), redirect: 'manual' })

/** Leaves this page to sign in, by an authorization code with PKCE (RFC 7636). */
export async function signIn(): Promise<void> {
  const state = crypto.randomUUID()
  const verifier = crypto.randomUUID() + crypto.randomUUID()
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))
  const base64 = btoa(String.fromCharCode(...new Uint8Array(digest)))
  sessionStorage.setItem(key, JSON.stringify({ state, verifier, page: location.href }))
  const url = new URL(request)
  url.searchParams.set('state', state)
  url.searchParams.set('code_challenge', base64.replaceAll('+', '-').replaceAll('/', '_').replace('=', ''))
  location.assign(url)
}

/** Takes the answer in the address of this page, and returns the page at which the sign-in began. */
export async function finishSignIn(answer: URLSearchParams): Promise<string> {
  const { state, verifier, page } = JSON.parse(sessionStorage.getItem(key) ?? '{}')
  sessionStorage.removeItem(key)
  if (!state || answer.get('state') !== state || answer.get('iss') !== issuer)
    throw new Error('This sign-in was started in another tab, or is already over. Go back to the page and start again.')
  const code = answer.get('code')
  if (answer.get('error') === 'access_denied') return page
  if (code === null) throw new Error(answer.get('error_description') ?? 'The server refused the sign-in.')
  const response = await post('token', { grant_type: 'authorization_code', ...client, code, code_verifier: verifier })
  // Errors of OAuth have a description, problem documents a detail.
  const { access_token, error_description, detail } = await response.json()
  if (!response.ok) throw new Error(error_description ?? detail)
  setToken(access_token)
  return page
}

/** Forgets the token in use, ends it if this page has signed in with it, and ends the session of the browser. */
export async function signOut(): Promise<void> {
  const token = currentToken()
  setToken('')
  if (!canSignIn) return
  await Promise.all([post('revoke', { client_id, token }), post('connections', { 'sign-out': 'yes' })])
}
