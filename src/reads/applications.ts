import { type Entity, type OneRead, type PageRead, viewer } from './read.ts'

/** Client programs. */
export const applicationEntity: Entity = { source: 'applications' }

/** The application that a publication was sent from. */
export const applicationOfPublication: OneRead = {
  one: (it, row) => `from applications ${it} where ${it}.id = ${row}.application_id`,
}

/** The application whose id the row has, as a mutation's payload. */
export const applicationOfPayload: OneRead = { one: (it, row) => `from applications ${it} where ${it}.id = ${row}.id` }

/** The viewer's own applications, newest first. */
export const applicationsOfViewer: PageRead = {
  order: 'desc',
  key: (it) => `${it}.id`,
  page: (it) => `from applications ${it} where ${it}.owner_id = ${viewer.id}`,
}
