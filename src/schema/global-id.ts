import { invalid } from '../errors.ts'
import { nodeScopes } from '../scopes.ts'
import { isUuid } from './scalars.ts'

/** A type of the schema and the UUID of one of its objects. */
export type GlobalId = { readonly type: string; readonly uuid: string }

const decodedForm = /^([A-Za-z]+):([0-9a-f-]{36})$/

/** The opaque global id of an object (GraphQL Global Object Identification). */
export function encodeGlobalId(type: string, uuid: string): string {
  return Buffer.from(`${type}:${uuid}`).toString('base64')
}

/** What a global id stands for. Throws `VALIDATION_FAILED`, naming `field`, for what was never one. */
export function decodeGlobalId(id: string, field: string): GlobalId {
  const [, type, uuid] = decodedForm.exec(Buffer.from(id, 'base64').toString('latin1')) ?? []
  const isKnown = type && uuid && Object.hasOwn(nodeScopes, type) && isUuid(uuid)
  if (!isKnown || encodeGlobalId(type, uuid) !== id) throw invalid({ field, message: 'is not a global id' })
  return { type, uuid }
}
