import { afterAll, beforeAll, expect, test } from 'vitest'
import { startApp, type TestApp } from '../../support/app.ts'

const strict = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
]
const trustedTypes = "require-trusted-types-for 'script'"

/** The policy of each page. */
const policies = {
  '/': [...strict, trustedTypes],
  '/timeline': [...strict, trustedTypes],
  '/nothing-here': [...strict, trustedTypes],
  '/api/v1/user': [...strict, trustedTypes],
  '/api/v1/docs': strict,
  '/graphql': [
    ...strict.map((directive) => (directive.startsWith('style-src') ? `${directive} 'nonce-…'` : directive)),
    "style-src-attr 'unsafe-inline'",
    "font-src 'self'",
    "worker-src 'self'",
  ],
} as const

let app: TestApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.close())

async function policyOf(path: string): Promise<string> {
  const { headers } = await fetch(app.origin + path, { headers: { accept: 'text/html' } })
  return headers.get('content-security-policy') ?? ''
}

test.each(Object.entries(policies))('%s has the strictest policy that it works with', async (path, policy) => {
  const text = (await policyOf(path)).replace(/'nonce-[\w+/]{22}=='/, "'nonce-…'")
  expect(text.split('; ')).toEqual(policy)
})

test('each response has another nonce', async () => {
  expect(await policyOf('/graphql')).not.toBe(await policyOf('/graphql'))
})

test.each(['/', '/timeline', '/graphql', '/api/v1/docs'])('%s has no ties to a page that opens it', async (path) => {
  const { headers } = await fetch(app.origin + path, { headers: { accept: 'text/html' } })
  expect(headers.get('cross-origin-opener-policy')).toBe('same-origin-allow-popups')
})
