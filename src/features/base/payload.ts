import type { ObjectFieldsShape, OutputType } from '@pothos/core'
import type { GraphQLResolveInfo } from 'graphql'
import { objectOfPayload } from '../../engine/compiler/field-reads.ts'
import type { PayloadRead } from '../../engine/data/backend.ts'
import type { Client } from '../../engine/data/client.ts'
import { readAfterWrite } from '../../engine/data/write-outcome.ts'
import { refusalOfRead } from '../../engine/execution/mask.ts'
import type { RequestContext } from '../../engine/execution/request-context.ts'
import type { builder } from './builder.ts'

/** The condition of a write: it is refused if the object was edited after this time. */
export type Condition = { readonly ifUnchangedSince?: Date | null | undefined }

/** The description of that condition. */
export const ifUnchangedSince = (what: string, begin: string) =>
  'Refuses the mutation with `PRECONDITION_FAILED`, and the current `version` and `editedAt` in ' +
  `its extensions, if the ${what} was edited after this time. Pass its \`editedAt\`, or \`${begin}\` ` +
  'if that is null.'

type Types = typeof builder.$inferSchemaTypes

/** A type of objects. */
export type ObjectType = OutputType<Types>

/** The payload of a mutation that has one object in this field, by default the one that was written. */
export function payloadWith<Shape>(
  field: string,
  type: ObjectType,
  description: string,
  read: typeof objectOfPayload = objectOfPayload,
): { readonly outputFields: ObjectFieldsShape<Types, Shape> } {
  return { outputFields: (t) => ({ [field]: t.field({ type, description, read }) }) }
}

/** The payload of a mutation: the objects that were selected, by response key, with fields of its own. */
export type MutationPayload = { readonly selected: object }

/**
 * Reads the selected objects of a payload after the write, by the id of what was written. Throws `OUTCOME_UNKNOWN` if the write is done
 * but they cannot be read.
 */
export async function readPayload(
  { reads, isInTransaction }: Pick<RequestContext, 'reads' | 'isInTransaction'>,
  info: GraphQLResolveInfo,
  id: string,
  howToRead: string,
): Promise<MutationPayload> {
  const read = () =>
    reads.byId<object>(info, id).catch((error: unknown) => {
      throw refusalOfRead(error)
    })
  return { selected: await (isInTransaction ? read() : readAfterWrite(howToRead, read)) }
}

/**
 * Writes, and reads the payload by an id that is known before: in the same round trip if `write` passes the read on to its statement, or
 * else as `readPayload` does.
 */
export async function writeAndRead<T>(
  context: RequestContext,
  info: GraphQLResolveInfo,
  id: string,
  howToRead: string,
  write: (payload: PayloadRead | undefined) => Promise<T>,
): Promise<[MutationPayload, T]> {
  const payload = context.reads.withWrite<object>(info, id)
  const written = await write(payload)
  const selected = payload?.found()
  return [selected ? { selected } : await readPayload(context, info, id, howToRead), written]
}

/** Reads a payload in the transaction of a deletion, before it deletes. */
export function payloadBefore(context: RequestContext, info: GraphQLResolveInfo, id: string) {
  return async (transaction: Client): Promise<MutationPayload> => ({
    selected: await context.within(transaction).reads.byId<object>(info, id),
  })
}
