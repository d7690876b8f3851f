import { lookupList } from './lookup-list.ts'
import type { LookupListRead, LookupRead, ValueRead } from './read.ts'
import { type Sql, sql } from './sql.ts'

const live = sql`live_publications`

/** Whether a publication is a post: it has no parent. */
export const isPost = (row: Sql): Sql => sql`${row}.parent_id is null`

/** Whether a publication is a reply: it has a parent. */
export const isReply = (row: Sql): Sql => sql`${row}.parent_id is not null`

/** The post or reply whose id is given as `uuid`. */
export const publicationByUuid: LookupRead = {
  params: ({ uuid }) => ({ uuid }),
  lookup: (it, param) => sql`from ${live} ${it} where ${it}.id = ${param('uuid', sql`uuid`)}`,
}

/** The posts and replies whose ids are given as `uuids`. */
export const publicationsByUuids: LookupListRead = {
  keyColumns: sql`uuid uuid`,
  keys: ({ uuids }) => lookupList('uuids', uuids).map((uuid) => ({ uuid })),
  each: (it, key) => sql`from ${live} ${it} where ${it}.id = ${key}.uuid`,
}

/** The reply whose id is given as `uuid`. */
export const replyByUuid: LookupRead = {
  params: ({ uuid }) => ({ uuid }),
  lookup: (it, param) => sql`from ${live} ${it} where ${it}.id = ${param('uuid', sql`uuid`)} and ${isReply(it)}`,
}

/** The id of what a reply answers, also after its deletion. */
export const parentUuid: ValueRead = { value: (row) => sql`${row}.parent_id` }
