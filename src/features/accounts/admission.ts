import { hashToken } from '../../engine/auth/viewers.ts'
import type { Client } from '../../engine/data/client.ts'
import { Prisma } from '../../engine/data/generated/prisma/client.ts'
import { type FieldError, forbidden, invalid } from '../../engine/errors.ts'
import { signUpReasonBounds } from '../base/bounds.ts'
import { canonicalAddress, domainOf } from '../base/email-address.ts'
import { textError } from '../base/input-rules.ts'

/** Who may create accounts with `signUp`: anybody, whoever a moderator approves, whoever has an invitation, or nobody. */
export const signUpModes = ['open', 'approval', 'invitation', 'closed'] as const

/** Who may invite others. */
export const inviters = ['moderators', 'members'] as const

/** Whom the server admits, and under which usernames and e-mail addresses. The commands of the operator do not ask. */
export type Admission = {
  readonly signUp: (typeof signUpModes)[number]
  readonly invitations: (typeof inviters)[number]
  /** The result of `reservedUsernames`. */
  readonly reservedUsernames: ReadonlySet<string>
  /** Domains, in A-labels, whose addresses are refused, with their subdomains. */
  readonly refusedDomains: ReadonlySet<string>
}

/** Throws `FORBIDDEN` where sign-up is closed, or requires an invitation that is missing. */
export function refuseUninvited({ signUp }: Admission, invitation: string | null | undefined): void {
  if (signUp === 'closed') throw forbidden('SIGN_UP_CLOSED', 'Sign-up is closed on this server.')
  if (signUp === 'invitation' && !invitation)
    throw forbidden('INVITATION_REQUIRED', 'Sign-up on this server requires an invitation.')
}

/** Why somebody wants to join, and with which invitation. */
type Application = { readonly reason?: string | null | undefined; readonly invitation?: string | null | undefined }

/** Whether an account waits for approval, which an invitation takes the place of. */
export const waitsForApproval = ({ signUp }: Admission, { invitation }: Application): boolean =>
  signUp === 'approval' && !invitation

/** The error of the reason of an account, if there is one. Where an account waits for approval, the reason is required. */
export function reasonError(admission: Admission, application: Application): FieldError | undefined {
  const { reason } = application
  if (waitsForApproval(admission, application) && !reason) return { field: 'reason', message: 'is required' }
  return textError('reason', reason || null, signUpReasonBounds)
}

/** Lets a new account wait for approval, hidden from everybody but moderators, if it has to. */
export async function awaitApproval(
  transaction: Client,
  admission: Admission,
  { id, ...application }: Application & { readonly id: string },
): Promise<void> {
  if (!waitsForApproval(admission, application)) return
  const { reason } = application
  await transaction.$executeRaw`insert into pending_accounts (id, reason) values (${id}::uuid, ${reason})`
}

/** The error of an e-mail address at a domain that is refused, or at one below it, if there is one. */
export function refusedDomainError(email: string, { refusedDomains }: Admission): FieldError | undefined {
  if (refusedDomains.size === 0) return undefined
  const labels = domainOf(canonicalAddress(email) ?? '').split('.')
  const isRefused = labels.some((_, first) => refusedDomains.has(labels.slice(first).join('.')))
  return isRefused ? { field: 'email', message: 'is at a domain that this server does not accept' } : undefined
}

const unusable: FieldError = { field: 'invitation', message: 'is wrong, was used up or has expired' }

/** Finds the invitation `i` with a code, if it has uses left, and whoever made it may invite, and is not hidden. */
const usable = ({ invitations }: Admission, code: string) => Prisma.sql`
  i.hash = ${hashToken(code)} and i.uses < i.max_uses and i.expires_at > now() and (i.creator_id is null or exists (
    select from users u where u.id = i.creator_id and (${invitations === 'members'} or u.moderator_since is not null)
      and not exists (select from hidden_accounts h where h.user_id = u.id)))`

/** The error of an invitation, if there is one. It is checked again when it is used. */
export async function invitationError(
  client: Client,
  admission: Admission,
  code: string | null | undefined,
): Promise<FieldError | undefined> {
  if (!code) return undefined
  const found: unknown[] = await client.$queryRaw`select from invitations i where ${usable(admission, code)}`
  return found.length > 0 ? undefined : unusable
}

/**
 * Spends one use of an invitation, in the transaction that creates an account: of those who want its last use at once, one gets it. Throws
 * `VALIDATION_FAILED`.
 */
export async function spendInvitation(
  transaction: Client,
  admission: Admission,
  { code, userId }: { readonly code: string; readonly userId: string },
): Promise<void> {
  const used = await transaction.$executeRaw`
    with used as (update invitations i set uses = uses + 1 where ${usable(admission, code)} returning i.creator_id)
    update users set invited_by_id = used.creator_id from used where users.id = ${userId}::uuid`
  if (used === 0) throw invalid(unusable)
}
