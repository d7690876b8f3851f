import { type PageRead, type ValueRead, viewer } from './read.ts'
import { sql } from './sql.ts'

/** Whether the viewer likes the publication. */
export const viewerHasLiked: ValueRead = {
  value: (row) => sql`exists (select from likes l where l.publication_id = ${row}.id and l.user_id = ${viewer.id})`,
  cost: 0.2,
}

/** The users who like a publication, newest like first. */
export const likers: PageRead = {
  order: 'desc',
  via: { table: sql`likes`, from: sql`publication`, to: sql`user` },
  total: (row) => sql`${row}.like_count`,
}

/** The publications that the viewer likes, newest like first; null for any other user. */
export const likedPublications: PageRead = {
  order: 'desc',
  via: {
    table: sql`likes`,
    from: sql`user`,
    to: sql`publication`,
    // Those of deleted publications may not be erased yet. Their ids come first, so that an index alone has all others.
    hasEnd: (like, row) => sql`${like}.id not in
      (select l.id from like_erasures e join likes l on l.publication_id = e.publication_id and l.user_id = ${row}.id)`,
  },
  isVisible: (row) => sql`${row}.id = ${viewer.id}`,
}
