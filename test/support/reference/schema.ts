import { readFileSync } from 'node:fs'
import { buildSchema } from 'graphql'

/** The schema built from its text, without the code of the service. */
export const plainSchema = buildSchema(readFileSync(new URL('../../../schema.graphql', import.meta.url), 'utf8'))

/** The global id of an object. */
export const globalIdOf = (type: string, uuid: string) => Buffer.from(`${type}:${uuid}`).toString('base64')
