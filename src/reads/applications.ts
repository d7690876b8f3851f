import { type Entity, type OneRead, type PageRead, viewer } from './read.ts'
import { sql } from './sql.ts'

/** Client programs. */
export const applicationEntity: Entity = { source: sql`applications` }

/** The application that a publication was sent from. */
export const applicationOfPublication: OneRead = {
  one: (it, row) => sql`from applications ${it} where ${it}.id = ${row}.application_id`,
}

/** The application whose id the row has, as a mutation's payload. */
export const applicationOfPayload: OneRead = {
  one: (it, row) => sql`from applications ${it} where ${it}.id = ${row}.id`,
}

/** The viewer's own applications, newest first. */
export const applicationsOfViewer: PageRead = {
  order: 'desc',
  key: (it) => sql`${it}.id`,
  page: (it) => sql`from applications ${it} where ${it}.owner_id = ${viewer.id}`,
}
