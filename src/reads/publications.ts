import { type Entity, type FindRead, type OneRead, type PageRead, type ValueRead, viewer } from './read.ts'

const live = 'live_publications'

/** Posts and replies alike, as long as they are not deleted. */
export const publicationEntity: Entity = { source: live }

/** Publications without a parent. */
export const postEntity: Entity = { source: live, where: (it) => `${it}.parent_id is null` }

/** Publications with a parent. */
export const replyEntity: Entity = { source: live, where: (it) => `${it}.parent_id is not null` }

/** The post or reply whose id is given as `uuid`. */
export const publicationByUuid: FindRead = {
  given: ({ uuid }) => ({ uuid }),
  find: (it, given) => `from ${live} ${it} where ${it}.id = ${given('uuid', 'uuid')}`,
}

/** The reply whose id is given as `uuid`. */
export const replyByUuid: FindRead = {
  given: ({ uuid }) => ({ uuid }),
  find: (it, given) => `from ${live} ${it} where ${it}.id = ${given('uuid', 'uuid')} and ${it}.parent_id is not null`,
}

/** The publication whose id the row has, as a mutation's payload. */
export const publicationOfPayload: OneRead = { one: (it, row) => `from ${live} ${it} where ${it}.id = ${row}.id` }

/** The publication that a reply answers; nothing when that was deleted. */
export const parent: OneRead = { one: (it, row) => `from ${live} ${it} where ${it}.id = ${row}.parent_id` }

/** The id of what a reply answers, also after its deletion. */
export const parentUuid: ValueRead = { value: (row) => `${row}.parent_id` }

/** Whether the viewer likes the publication. */
export const viewerHasLiked: ValueRead = {
  value: (row) => `exists (select from likes l where l.publication_id = ${row}.id and l.user_id = ${viewer.id})`,
  cost: 0.2,
}

/** The direct replies of a publication, oldest first. */
export const replies: PageRead = {
  order: 'asc',
  key: (it) => `${it}.id`,
  page: (it, row) => `from ${live} ${it} where ${it}.parent_id = ${row}.id`,
  total: (row) => `${row}.reply_count`,
}
