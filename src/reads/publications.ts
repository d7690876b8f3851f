import { lookupList } from './lookup-list.ts'
import type { Lookup, LookupListRead, LookupRead, ValueRead } from './read.ts'
import { type Sql, sql } from './sql.ts'

/** Whether a publication is a post: it has no parent. */
export const isPost = (row: Sql): Sql => sql`${row}.parent_id is null`

/** Whether a publication is a reply: it has a parent. */
export const isReply = (row: Sql): Sql => sql`${row}.parent_id is not null`

const publication: Lookup = {
  types: { uuid: sql`uuid` },
  find: (it, part) => sql`from live_publications ${it} where ${it}.id = ${part('uuid')}`,
}

/** The post or reply whose id is given as `uuid`. */
export const publicationByUuid: LookupRead = { ...publication, keyOf: ({ uuid }) => ({ uuid }) }

/** The posts and replies whose ids are given as `uuids`. */
export const publicationsByUuids: LookupListRead = {
  ...publication,
  keysOf: ({ uuids }) => lookupList('uuids', uuids).map((uuid) => ({ uuid })),
}

/** The reply whose id is given as `uuid`. */
export const replyByUuid: LookupRead = {
  ...publicationByUuid,
  find: (it, part) => sql`${publication.find(it, part)} and ${isReply(it)}`,
}

/** The id of what a reply answers, also after its deletion. */
export const parentUuid: ValueRead = { value: (row) => sql`${row}.parent_id` }
