import { type PageRead, viewer } from './read.ts'
import { sql } from './sql.ts'

/** The viewer's own applications, newest first. */
export const applicationsOfViewer: PageRead = {
  order: 'desc',
  key: (it) => sql`${it}.id`,
  page: (it) => sql`from applications ${it} where ${it}.owner_id = ${viewer.id}`,
}
