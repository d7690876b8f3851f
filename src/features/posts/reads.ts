import type { Lookup, LookupListRead, OneRead, PageRead, ValueRead } from '../../engine/compiler/field-reads.ts'
import { type Sql, sql } from '../../engine/compiler/sql.ts'
import { lookupList } from '../base/lookup-list.ts'
import { isViewer } from '../visibility/viewer.ts'

/** Whether a publication is a post: it has no parent. */
export const isPost = (row: Sql): Sql => sql`${row}.parent_id is null`

/** Whether a publication is for everybody. */
export const isForEverybody = (row: Sql): Sql => sql`${row}.audience = 'EVERYBODY'`

/** Whether a publication is in timelines and in the lists of its author: it is not for addressees, who find it in `addressed`. */
export const isListed = (row: Sql): Sql => sql`${row}.audience <> 'ADDRESSED'`

/** Whether a publication is a reply: it has a parent. */
export const isReply = (row: Sql): Sql => sql`${row}.parent_id is not null`

const publication: Lookup = {
  types: { uuid: sql`uuid` },
  where: (it, _row, part) => sql`${it}.id = ${part('uuid')}`,
}

/** The post or reply whose id is given as `uuid`. */
export const publicationByUuid: OneRead = { ...publication, keyOf: ({ uuid }) => ({ uuid }) }

/** The posts and replies whose ids are given as `uuids`. */
export const publicationsByUuids: LookupListRead = {
  ...publication,
  keysOf: ({ uuids }) => lookupList('uuids', uuids).map((uuid) => ({ uuid })),
}

/** The reply whose id is given as `uuid`. */
export const replyByUuid: OneRead = {
  ...publicationByUuid,
  where: (it, ...given) => sql`${publication.where(it, ...given)} and ${isReply(it)}`,
}

/** The id of what a reply answers, also after its deletion. */
export const parentUuid: ValueRead = { value: (row) => sql`${row}.parent_id` }

/** Direct replies to the row, oldest first. */
export const repliesTo: PageRead = {
  order: 'asc',
  where: (it, row) => sql`${it}.parent_id = ${row}.id`,
  total: (row) => sql`${row}.reply_count`,
}

/** Publications that quote the row, newest first. */
export const quotesOf: PageRead = {
  order: 'desc',
  where: (it, row) => sql`${it}.quoted_id = ${row}.id`,
}

/** The publications for addressees of whom the viewer, which the row is, is one, newest first; null for any other user. */
export const addressedToViewer: PageRead = {
  order: 'desc',
  isVisible: isViewer,
  join: {
    table: sql`(select a.publication_id as id, a.user_id from addressees a)`,
    from: sql`user_id`,
    to: sql`id`,
  },
}

/** The posts of the row, an account, newest first. */
export const postsBy: PageRead = {
  order: 'desc',
  where: (it, row) => sql`${it}.author_id = ${row}.id and ${isPost(it)} and ${isListed(it)}`,
}

/** The replies of the row, an account, newest first. */
export const repliesBy: PageRead = {
  order: 'desc',
  where: (it, row) => sql`${it}.author_id = ${row}.id and ${isReply(it)} and ${isListed(it)}`,
}
