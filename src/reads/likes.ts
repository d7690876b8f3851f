import { type PageRead, type ValueRead, viewer } from './read.ts'
import { type Sql, sql } from './sql.ts'

/** A list of likes: the rows of `objects` at one end of those whose other end the row is. */
function likes(objects: Sql, end: Sql, other: Sql): Pick<PageRead, 'order' | 'key' | 'keys' | 'page'> {
  const of = (it: Sql, row: Sql) => sql`where ${it}_like.${other}_id = ${row}.id`
  return {
    order: 'desc',
    key: (it) => sql`${it}_like.id`,
    keys: (it, row) => sql`from likes ${it}_like ${of(it, row)}`,
    page: (it, row) =>
      sql`from likes ${it}_like join ${objects} ${it} on ${it}.id = ${it}_like.${end}_id ${of(it, row)}`,
  }
}

/** Whether the viewer likes the publication. */
export const viewerHasLiked: ValueRead = {
  value: (row) => sql`exists (select from likes l where l.publication_id = ${row}.id and l.user_id = ${viewer.id})`,
  cost: 0.2,
}

/** The users who like a publication, newest like first. */
export const likers: PageRead = {
  ...likes(sql`users`, sql`user`, sql`publication`),
  total: (row) => sql`${row}.like_count`,
}

/** The publications that the viewer likes, newest like first; null for any other user. */
export const likedPublications: PageRead = {
  ...likes(sql`live_publications`, sql`publication`, sql`user`),
  isVisible: (row) => sql`${row}.id = ${viewer.id}`,
}
