import type { KoaContextWithOIDC } from 'oidc-provider'
import { z } from 'zod'
import type { Scope } from '../../../engine/scopes.ts'

const consent = z.object({ accountId: z.string(), scopes: z.array(z.string()) })

/** What somebody has allowed in the step before. */
export type Consent = { readonly accountId: string; readonly scopes: readonly Scope[] }

/** What the account of a request has just allowed; undefined if it was not asked. */
export function consentIn({
  result,
  session,
}: KoaContextWithOIDC['oidc']): { readonly scopes: readonly string[] } | undefined {
  const given = consent.safeParse(result?.consent).data
  return given?.accountId === session?.accountId ? given : undefined
}
