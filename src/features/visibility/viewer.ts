import type { PageRead } from '../../engine/compiler/field-reads.ts'
import { type Sql, sql } from '../../engine/compiler/sql.ts'

declare module '../../engine/compiler/field-reads.ts' {
  interface Places {
    /** Timelines, and other lists where viewers do not want to meet those whom they mute. */
    timelines: true
  }
}

/** The types of the columns of the row `viewer`, which every compiled statement has. */
export const viewerRow = {
  id: sql`uuid`,
  token_id: sql`uuid`,
  reads_email: sql`boolean`,
  sees_gravatars: sql`boolean`,
  notify_after: sql`uuid`,
} as const

/** The columns of that row: whose token it is, and, the same for everybody, how avatars are made and from where on they are notified. */
export const viewer = {
  /** Null without a token. */
  id: sql`viewer.id`,
  tokenId: sql`viewer.token_id`,
  /** Whether the token has the scope `user.email`. */
  readsEmail: sql`viewer.reads_email`,
  /** Whether avatars are derived from e-mail addresses. */
  seesGravatars: sql`viewer.sees_gravatars`,
  /** Notices with keys up to this one are no longer shown. */
  notifyAfter: sql`viewer.notify_after`,
} as const

/** Whether a row is the account of the viewer. */
export const isViewer = (row: Sql) => sql`${row}.id = ${viewer.id}`

/** The rows that belong to the viewer, whose id they have in the column `owner`; newest first. */
export const ownedByViewer = (owner: Sql): PageRead => ({
  order: 'desc',
  where: (it) => sql`${it}.${owner} = ${viewer.id}`,
})
