import type { Viewer } from '../../engine/auth/viewers.ts'
import type { Client } from '../../engine/data/client.ts'
import type { Access } from '../../engine/data/database.ts'
import { newId } from '../../engine/data/ids.ts'
import { reportUnknownOutcome } from '../../engine/data/write-outcome.ts'
import { type FieldError, notFound, Refusal } from '../../engine/errors.ts'
import { isLoopback } from '../../engine/http/origin.ts'
import type { TextForm } from '../../engine/text/text-form.ts'
import { holdAccount, writeAsOwner } from '../accounts/access-tokens.ts'
import { nameBounds } from '../base/bounds.ts'
import { refuseInvalid, textError } from '../base/input-rules.ts'

/** How many applications an account may have. */
export const maxApplications = 100

/** The form of a website. A user in a URL looks like the host (RFC 9110, section 4.2.4). */
export const websiteForm = /^https?:\/\/[^/@]+\//

/** The most characters of a website. */
export const longestWebsite = 2_000

/** What is wrong with a website. */
export function websiteError(url: string | undefined): FieldError | undefined {
  if (url === undefined) return undefined
  if (!websiteForm.test(url)) return { field: 'website', message: 'must be an http or https URL without a user' }
  if (url.length > longestWebsite)
    return { field: 'website', message: `must have at most ${longestWebsite} characters` }
  return undefined
}

/** How many redirect URIs an application may have, and how many characters each of them. */
export const redirectUriBounds = { count: 20, length: 2_000 } as const

/** A redirect URI, of which more is checked when it is sent. */
export const redirectUriForm: TextForm = {
  min: 1,
  max: redirectUriBounds.length,
  pattern: /^\S+$/,
  words: `a URI of at most ${redirectUriBounds.length} characters`,
}

/** Schemes that a browser runs, or that read files. */
const refusedScheme = /^(?:javascript|data|vbscript|file|blob|about|filesystem|view-source|ws|wss|ftp):$/

/**
 * Whether an application can be sent to this URI with the answer: https, http on this machine, or a scheme of its own (RFC 8252,
 * section 7).
 */
function isRedirectUri(text: string): boolean {
  if (text.length > redirectUriBounds.length || text.includes('#') || !URL.canParse(text)) return false
  const { protocol, hostname, username, password } = new URL(text)
  if (username || password || refusedScheme.test(protocol)) return false
  return protocol === 'https:' ? !isLoopback(hostname) : protocol !== 'http:' || isLoopback(hostname)
}

function redirectUrisError(uris: readonly string[]): FieldError | undefined {
  const field = 'redirectUris'
  if (uris.length > redirectUriBounds.count) return { field, message: `must be at most ${redirectUriBounds.count}` }
  const wrong = uris.find((uri) => !isRedirectUri(uri))
  if (wrong === undefined) return undefined
  return {
    field,
    message:
      'must be https URLs, http URLs of 127.0.0.1, [::1] or localhost, or URIs of a scheme of the ' +
      'application, without a user or a fragment',
  }
}

/** What an owner says of an application. */
type NewApplication = {
  readonly name: string
  readonly website?: URL | null | undefined
  readonly redirectUris?: readonly string[] | null | undefined
  readonly deviceFlow?: boolean | null | undefined
}

/** Changes to an application. What is missing stays as it is; null removes the website, and leaves the others. */
type ApplicationChange = { readonly [Field in keyof NewApplication]?: NewApplication[Field] | null | undefined }

/**
 * Registers an application of the viewer and returns its id. Throws `VALIDATION_FAILED`, `CONFLICT` above the limit, and
 * `UNAUTHENTICATED` if the token in use was revoked meanwhile.
 */
export async function createApplication(
  access: Access,
  viewer: Viewer,
  { name, website, redirectUris, deviceFlow }: NewApplication,
): Promise<string> {
  const uris = [...new Set(redirectUris)]
  refuseInvalid(textError('name', name, nameBounds), websiteError(website?.href), redirectUrisError(uris))
  const facts = { name, website: website?.href ?? null, redirectUris: uris, deviceFlow: deviceFlow ?? false }
  const data = { id: newId(), ownerId: viewer.id, ...facts }
  return writeAsOwner(access, viewer, 'read the applications of the viewer', async (transaction) => {
    const count = await transaction.application.count({ where: { ownerId: viewer.id } })
    if (count >= maxApplications)
      throw new Refusal('CONFLICT', `An account has at most ${maxApplications} applications.`)
    const { id } = await transaction.application.create({ data, select: { id: true } })
    return id
  })
}

/**
 * Changes an application of the viewer. Without redirect URIs and device flow, it cannot connect to accounts any more. Throws
 * `VALIDATION_FAILED`, `NOT_FOUND`, and `UNAUTHENTICATED` if the token in use was revoked meanwhile.
 */
export async function updateApplication(
  access: Access,
  viewer: Viewer,
  id: string,
  { name, website, redirectUris, deviceFlow }: ApplicationChange,
): Promise<void> {
  const uris = redirectUris ? [...new Set(redirectUris)] : undefined
  refuseInvalid(textError('name', name, nameBounds), websiteError(website?.href), redirectUrisError(uris ?? []))
  const data = {
    ...(name != null && { name }),
    ...(website !== undefined && { website: website?.href ?? null }),
    ...(uris && { redirectUris: uris }),
    ...(deviceFlow != null && { deviceFlow }),
  }
  await writeAsOwner(access, viewer, 'read the applications of the viewer', async (transaction) => {
    const { count } = await transaction.application.updateMany({ where: { id, ownerId: viewer.id }, data })
    if (count === 0) throw notFound('application')
  })
}

/**
 * Deletes an application of the viewer with its tokens and authorizations, and returns what `snapshot` reads of it just before.
 * The `from` of what was published with it becomes null. Throws `NOT_FOUND`, and `UNAUTHENTICATED` if the token in use was revoked
 * meanwhile.
 */
export async function deleteApplication<T>(
  { write }: Access,
  viewer: Viewer,
  id: string,
  snapshot: (transaction: Client) => Promise<T>,
): Promise<T> {
  const work = async (transaction: Client) => {
    await holdAccount(transaction, viewer)
    const before = await snapshot(transaction)
    const { count } = await transaction.application.deleteMany({ where: { id, ownerId: viewer.id } })
    if (count === 0) throw notFound('application')
    return before
  }
  return reportUnknownOutcome('read the applications of the viewer', () => write.limitedTransaction(work))
}
