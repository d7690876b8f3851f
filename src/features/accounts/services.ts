import type { Viewer } from '../../engine/auth/viewers.ts'
import type { Reader } from '../../engine/compiler/field-reads.ts'
import { Prisma } from '../../engine/data/generated/prisma/client.ts'
import { lowestIdAt } from '../../engine/data/ids.ts'
import { day } from '../../engine/day.ts'
import type { RequestContext, Services } from '../../engine/execution/request-context.ts'
import type { MailLimits } from '../mail/limits.ts'
import { type Avatar, type ReadingViewer, viewerReader } from '../visibility/reader.ts'
import type { Admission } from './admission.ts'
import type { Passwords } from './passwords.ts'
import type { Authenticators } from './second-factor/authenticators.ts'
import type { SignInLimits } from './sign-in-limits.ts'

/** The limits of e-mail, and whether each sign-in sends one. */
type MailSettings = { readonly limits?: MailLimits | undefined; readonly signInNotice: boolean }

declare module '../../engine/execution/request-context.ts' {
  interface Services {
    readonly passwords: Passwords
    /** Slows down guesses of passwords; undefined where nothing is limited by rate. */
    readonly signInLimits?: SignInLimits | undefined
    /** Checks codes of authenticator apps; undefined where the operator has set no key. */
    readonly authenticators?: Authenticators | undefined
    /** Whom the server admits. */
    readonly admission: Admission
    /** Undefined where no e-mail is sent. */
    readonly mail?: MailSettings | undefined
    /** How to reach the operator, also for suspended people: an e-mail address or an https URL. */
    readonly contact?: string | undefined
    /** For how many days owners can cancel the deletion of their accounts by signing in. */
    readonly deletionDelay: number
    /** What avatars are derived from. */
    readonly avatar: Avatar
    /** For how many days notifications are kept. */
    readonly notificationsKept: number
  }
}

type ReaderSettings = Pick<Services, 'avatar' | 'notificationsKept'>

/** What decides on what is hidden: from the viewer, or with the viewer from others. */
type Hidden = { readonly isRestricted: boolean; readonly hasBlocksOrMutes: boolean }

function readerFor(viewer: ReadingViewer | undefined, hidden: Hidden, settings: ReaderSettings): Reader {
  const { avatar, notificationsKept } = settings
  return viewerReader({
    viewer,
    ...hidden,
    avatar,
    notifyAfter: lowestIdAt(Date.now() - notificationsKept * day),
  })
}

const uuidInJson = '"([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})"'

/**
 * Whether the viewer has blocked somebody, or been blocked, since the time `created_at`, or `result` names a publication that is not for
 * the viewer.
 */
export const isResultHidden: Services['isResultHidden'] = ({ id }) => Prisma.sql`(exists (
  select from blocks where ${id}::uuid in (blocker_id, blocked_id)
    and id >= (lpad(to_hex((extract(epoch from created_at) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid)
  or exists (
    select from regexp_matches(result, ${uuidInJson}, 'g') found
    join publications p on p.id = found[1]::uuid and p.deleted_at is null
    cross join readable(${id}::uuid, p.author_id, p.audience, p.circle_id, p.parent_author_id) is_for_viewer
    where not is_for_viewer))`

const isRestricted = (viewer: Viewer | undefined) => viewer !== undefined && viewer.restriction !== null

/** For whom the statements of viewers are compiled. One may be hidden from a viewer by a block that this process does not know yet. */
export const readersOf =
  (settings: ReaderSettings): Services['readerOf'] =>
  (viewer, mayBeBehind) => {
    const hasBlocksOrMutes = viewer !== undefined && (viewer.hasBlocksOrMutes || mayBeBehind)
    return readerFor(viewer, { isRestricted: isRestricted(viewer), hasBlocksOrMutes }, settings)
  }

/** The reads of an operation for the account that has just signed in, and its new token. */
export function readsOfNewToken({ services, reads }: RequestContext, id: string, tokenId: string) {
  const viewer: ReadingViewer = { id, tokenId, scopes: new Set(['user.email']), followsMany: false }
  // The account may be suspended.
  return reads.as(readerFor(viewer, { isRestricted: true, hasBlocksOrMutes: true }, services), true)
}

/**
 * Prepares for a block or a mute: the viewer and others from whom something is hidden are looked up again, and what the operation reads
 * from now on leaves out what is hidden.
 */
export function expectHidden(context: RequestContext, ...others: readonly string[]): void {
  for (const account of [context.viewer.id, ...others]) context.changedAccounts.add(account)
  const { viewer, services } = context
  context.readAs(readerFor(viewer, { isRestricted: isRestricted(viewer), hasBlocksOrMutes: true }, services))
}
