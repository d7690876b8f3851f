/** What precedes all paths of the server. Often empty. */
export const prefix = document.body.dataset.prefix ?? ''

type DemoAccess = {
  readonly token?: string
  readonly targets?: { readonly post?: string; readonly reply?: string; readonly user?: string }
}

/** The demo's token, and the uuids for samples. Empty unless the browser runs on the machine of the server. */
export const demo: DemoAccess = JSON.parse(document.getElementById('demo-access')?.textContent ?? '{}')

// All pages in a tab use the same token, which is forgotten when the tab is closed.
const key = 'rookery:token'

/** The token in use. Empty if there is none. */
export const currentToken = () => sessionStorage.getItem(key) ?? demo.token ?? ''

/** Whether the token in use is the demo's. */
export const isDemo = () => currentToken() !== '' && currentToken() === demo.token

/** Uses another token, or none if it is empty. The demo's is not stored, because the next start has another one. */
export function setToken(token: string): void {
  if (token !== '' && token === demo.token) sessionStorage.removeItem(key)
  else sessionStorage.setItem(key, token)
  dispatchEvent(new Event('token'))
}

/** The header with the token in use (RFC 6750, section 2.1). None for text that is not a token. */
export function authorization(): { readonly Authorization?: string } {
  const token = currentToken()
  return /^rookery_[\w-]{43}$/.test(token) ? { Authorization: `Bearer ${token}` } : {}
}
