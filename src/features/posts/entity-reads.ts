import type { ListRead, OneRead, PageRead } from '../../engine/compiler/field-reads.ts'
import { sql } from '../../engine/compiler/sql.ts'
import { hashtagIn, maxHashtags, maxMentions } from '../base/entities.ts'

/** A list of places in a publication, in the order of the text. */
const places = (rows: number): ListRead => ({
  where: (it, row) => sql`${it}.publication_id = ${row}.id`,
  orderBy: (it) => sql`${it}.range_start`,
  rows,
})

/** The mentions of a publication. */
export const mentions = places(maxMentions)

/** The hashtags of a publication. */
export const hashtags = places(maxHashtags)

/** The hashtag whose `name` is given. */
export const hashtagByName: OneRead = {
  types: { id: sql`uuid` },
  keyOf: ({ name }) => ({ id: hashtagIn(String(name))?.id }),
  where: (it, _row, part) => sql`${it}.id = ${part('id')}`,
}

/** The publications that have the hashtag of the row, newest first. */
export const publicationsOfHashtag: PageRead = {
  order: 'desc',
  place: 'timelines',
  join: {
    table: sql`(select u.publication_id as id, u.hashtag_id, u.publication_id from hashtag_uses u where u.is_first)`,
    from: sql`hashtag_id`,
    to: sql`publication_id`,
  },
  total: (row) => sql`${row}.publication_count`,
}
