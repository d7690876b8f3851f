/** A request as its bytes: the path is sent unchanged, and the token is that of the caller. */
export type RandomHttpRequest = {
  readonly caller: Caller
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array | undefined
}

/** Whose token a request has: one with all scopes, one that may not read e-mail addresses, a revoked one, or none that is valid. */
export type Caller = 'viewer' | 'narrow' | 'revoked' | 'nobody'
