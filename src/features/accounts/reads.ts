import type { ListRead, Lookup, LookupListRead, OneRead, Parts, ValueRead } from '../../engine/compiler/field-reads.ts'
import { timeOf } from '../../engine/compiler/json.ts'
import { type Sql, sql } from '../../engine/compiler/sql.ts'
import { usernameIn } from '../base/username.ts'
import { isViewer, viewer } from '../visibility/viewer.ts'

/** How an account is found by its `uuid`, or by its `username` in lower case. */
export const account: Lookup = {
  types: { uuid: sql`uuid`, username: sql`text` },
  where: (it, _row, part) => sql`${it}.id = coalesce(${part('uuid')}, user_named(${part('username')}))`,
}

/** The members of a `UserBy`, if there is one. A text that cannot be a username matches nobody. */
export function namesIn(by: unknown) {
  const { uuid, username } = Object(by ?? {})
  return { uuid, username: typeof username === 'string' ? usernameIn(username) : undefined }
}

/** The account of a `uuid`, or of a `username` in lower case. */
export const userBy = (keyOf: Parts['keyOf']): OneRead => ({ ...account, keyOf })

/** The accounts of keys that have a `uuid`, or a `username` in lower case. */
export const usersBy = (keysOf: LookupListRead['keysOf']): LookupListRead => ({ ...account, keysOf })

/** The owner of the token. */
export const viewingUser: OneRead = { where: isViewer }

/**
 * The picture at Gravatar, which wants the SHA-256 of the e-mail address in lower case, in hexadecimal. For what is no such hash it
 * draws an identicon.
 */
export const avatar: ValueRead = {
  value: (row) => sql`'https://www.gravatar.com/avatar/' || encode(sha256(convert_to(
    case when ${viewer.seesGravatars} then ${row}.email else ${row}.id::text end, 'UTF8')), 'hex') || '?d=identicon'`,
  cost: 0.4,
}

const own = (column: Sql): ValueRead => ({
  value: (row) => sql`case when ${isViewer(row)} and ${viewer.readsEmail} then ${row}.${column} end`,
})

/** When the viewer's own profile or e-mail address last changed; of anyone else nothing. */
export const editedAt: ValueRead = {
  value: (row) => sql`case when ${isViewer(row)} then ${timeOf(sql`${row}.edited_at`)} end`,
}

/** The languages that the viewer reads; of anyone else nothing. */
export const readingLanguages: ValueRead = {
  value: (row) => sql`case when ${isViewer(row)} then to_json(${row}.reading_languages) end`,
}

/** The viewer's own e-mail address, with the scope `user.email`; of anyone else nothing. */
export const email = own(sql`email`)

/** Whether the viewer's own e-mail address was verified, with the scope `user.email`; of anyone else nothing. */
export const emailVerified = own(sql`email_verified`)

/** Whether the row, an account, is private. */
export const isPrivate: ValueRead = {
  value: (row) => sql`exists (select from private_accounts a where a.user_id = ${row}.id)`,
  cost: 0.2,
}

/** The badges that a user wears, by name. */
export const badges: ListRead = {
  join: { table: sql`user_badges`, from: sql`user_id`, to: sql`badge_id` },
  orderBy: (it) => sql`${it}.name`,
  rows: 5,
}
