import {
  type Entity,
  type FindRead,
  type ListRead,
  type OneRead,
  type PageRead,
  type ValueRead,
  viewer,
} from './read.ts'

/** Accounts. */
export const userEntity: Entity = { source: 'users' }

/** The account of a `uuid`, or of a `username` in lower case. */
export const userBy = (given: FindRead['given']): FindRead => ({
  given,
  find: (it, value) => `from users ${it} where ${it}.id =
    coalesce(${value('uuid', 'uuid')}, (select named.id from users named where lower(named.username) = ${value('username', 'text')}))`,
})

/** The owner of the token. */
export const viewingUser: OneRead = { one: (it) => `from users ${it} where ${it}.id = ${viewer.id}` }

/** The user whose id the row has, as a mutation's payload. */
export const userOfPayload: OneRead = { one: (it, row) => `from users ${it} where ${it}.id = ${row}.id` }

/** The author of a publication. */
export const author: OneRead = { one: (it, row) => `from users ${it} where ${it}.id = ${row}.author_id` }

/**
 * The picture at Gravatar, which wants the SHA-256 of the trimmed e-mail address in lower case, in hexadecimal. For what is no such
 * hash it draws an identicon.
 */
export const avatar: ValueRead = {
  value: (row) => `'https://www.gravatar.com/avatar/' || encode(sha256(convert_to(
    case when ${viewer.seesGravatars} then lower(trim(${row}.email)) else ${row}.id::text end, 'UTF8')), 'hex') || '?d=identicon'`,
  cost: 0.4,
}

const own = (column: string): ValueRead => ({
  value: (row) => `case when ${row}.id = ${viewer.id} and ${viewer.readsEmail} then ${row}.${column} end`,
})

/** The viewer's own e-mail address, with the scope `user.email`; of anyone else nothing. */
export const email = own('email')

/** Whether the viewer's own e-mail address was verified, with the scope `user.email`; of anyone else nothing. */
export const emailVerified = own('email_verified')

/** Marks of distinction. */
export const badgeEntity: Entity = { source: 'badges' }

/** The badges that a user wears, by name. */
export const badges: ListRead = {
  list: (it, row) => `from user_badges w join badges ${it} on ${it}.id = w.badge_id where w.user_id = ${row}.id`,
  by: (it) => `${it}.name`,
  rows: 5,
}

/** Whether the viewer follows the user. */
export const viewerIsFollowing: ValueRead = {
  value: (row) => `exists (select from follows f where f.follower_id = ${viewer.id} and f.followee_id = ${row}.id)`,
  cost: 0.2,
}

/** One of the two lists of a user's follows: the accounts at the `to` end of those whose `from` end the user is. */
function follows(from: 'follower' | 'followee', to: 'follower' | 'followee', count: string): PageRead {
  const of = (it: string, row: string) => `where ${it}_follow.${from}_id = ${row}.id`
  return {
    order: 'desc',
    key: (it) => `${it}_follow.id`,
    keys: (it, row) => `from follows ${it}_follow ${of(it, row)}`,
    page: (it, row) => `from follows ${it}_follow join users ${it} on ${it}.id = ${it}_follow.${to}_id ${of(it, row)}`,
    total: (row) => `${row}.${count}`,
  }
}

/** The accounts that a user follows, newest follow first. */
export const following = follows('follower', 'followee', 'following_count')

/** The accounts that follow a user, newest follow first. */
export const followers = follows('followee', 'follower', 'follower_count')
