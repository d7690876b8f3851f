import { type FieldError, forbidden } from '../../engine/errors.ts'
import { canonicalAddress, domainOf } from '../base/email-address.ts'

/** Who may create accounts with `signUp`: anybody, or nobody. */
export const signUpModes = ['open', 'closed'] as const

/** Whom the server admits, and under which usernames and e-mail addresses. The commands of the operator do not ask. */
export type Admission = {
  readonly signUp: (typeof signUpModes)[number]
  /** The result of `reservedUsernames`. */
  readonly reservedUsernames: ReadonlySet<string>
  /** Domains in A-labels, without whose addresses accounts are created, and those of their subdomains. */
  readonly refusedDomains: ReadonlySet<string>
}

/** Throws `FORBIDDEN` where sign-up is closed. */
export function refuseClosed({ signUp }: Admission): void {
  if (signUp === 'closed') throw forbidden('SIGN_UP_CLOSED', 'Sign-up is closed on this server.')
}

/** The error of an e-mail address at a domain that is refused, or at one below it, if there is one. */
export function refusedDomainError(email: string, { refusedDomains }: Admission): FieldError | undefined {
  if (refusedDomains.size === 0) return undefined
  const labels = domainOf(canonicalAddress(email) ?? '').split('.')
  const isRefused = labels.some((_, first) => refusedDomains.has(labels.slice(first).join('.')))
  return isRefused ? { field: 'email', message: 'is at a domain that this server does not accept' } : undefined
}
