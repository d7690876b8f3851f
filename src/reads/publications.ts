import { lookupList } from './lookup-list.ts'
import type { Entity, LookupListRead, LookupRead, OneRead, PageRead, ValueRead } from './read.ts'
import { sql } from './sql.ts'

const live = sql`live_publications`

/** Posts and replies alike, as long as they are not deleted. */
export const publicationEntity: Entity = { source: live }

/** Publications without a parent. */
export const postEntity: Entity = { source: live, where: (it) => sql`${it}.parent_id is null` }

/** Publications with a parent. */
export const replyEntity: Entity = { source: live, where: (it) => sql`${it}.parent_id is not null` }

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
  lookup: (it, param) =>
    sql`from ${live} ${it} where ${it}.id = ${param('uuid', sql`uuid`)} and ${it}.parent_id is not null`,
}

/** The publication whose id the row has, as a mutation's payload. */
export const publicationOfPayload: OneRead = { one: (it, row) => sql`from ${live} ${it} where ${it}.id = ${row}.id` }

/** The publication that a reply answers; nothing when that was deleted. */
export const parent: OneRead = { one: (it, row) => sql`from ${live} ${it} where ${it}.id = ${row}.parent_id` }

/** The id of what a reply answers, also after its deletion. */
export const parentUuid: ValueRead = { value: (row) => sql`${row}.parent_id` }

/** The direct replies of a publication, oldest first. */
export const replies: PageRead = {
  order: 'asc',
  key: (it) => sql`${it}.id`,
  page: (it, row) => sql`from ${live} ${it} where ${it}.parent_id = ${row}.id`,
  total: (row) => sql`${row}.reply_count`,
}
