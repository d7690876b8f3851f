import type { KoaContextWithOIDC } from 'oidc-provider'
import { z } from 'zod'
import type { Audience } from '../../../engine/data/generated/prisma/enums.ts'
import { mcpPath } from '../../../engine/http/url.ts'
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

/** The resources that tokens are for (RFC 8707): each audience with its URL. */
export class Resources {
  readonly #urls: Readonly<Record<Audience, string>>
  readonly #served: readonly Audience[]

  constructor(issuer: string, { mcp }: { readonly mcp: boolean }) {
    this.#served = mcp ? ['API', 'MCP'] : ['API']
    this.#urls = { API: issuer, MCP: issuer + mcpPath }
  }

  /** The audience of a resource, with or without a final slash; undefined for what is not served. */
  audienceOf(resource: string): Audience | undefined {
    const wanted = resource.replace(/\/$/, '')
    return this.#served.find((audience) => this.#urls[audience] === wanted)
  }

  urlOf(audience: Audience): string {
    return this.#urls[audience]
  }

  /** The same scopes for each resource, however it is written. */
  withScopes(scopes: readonly string[]): Record<string, string> {
    const urls = Object.values(this.#urls).flatMap((url) => [url, `${url}/`])
    return Object.fromEntries(urls.map((url) => [url, scopes.join(' ')]))
  }
}
