import type { OutputType } from '@pothos/core'
import type { GraphQLResolveInfo } from 'graphql'
import type { Client } from '../data/client.ts'
import type { Permission } from '../domain/permissions.ts'
import { readAfterWrite } from '../domain/write-outcome.ts'
import { type OneRead, objectOfPayload } from '../reads/read.ts'
import { builder } from './builder.ts'
import type { Context } from './context.ts'

/** The payload of a mutation: the objects that were selected, by response key, with fields of its own. */
export type MutationPayload = { readonly selected: object }

/** The type of an object in a payload, its description, and its read, by default the object that was written. */
export type PayloadObject = {
  readonly type: OutputType<typeof builder.$inferSchemaTypes>
  readonly description: string
  readonly read?: OneRead
}

/** The payload of a mutation that returns one object, in the field of this name. */
export function payloadOf(
  name: string,
  description: string,
  field: string,
  { read = objectOfPayload, ...object }: PayloadObject,
) {
  return builder
    .objectRef<MutationPayload>(name)
    .implement({ description, fields: (t) => ({ [field]: t.field({ ...object, read }) }) })
}

/**
 * Reads the selected objects of a payload after the write, by the id of what was written. Throws `OUTCOME_UNKNOWN` if the write is done
 * but they cannot be read.
 */
export async function readPayload(
  { reads, isInTransaction }: Pick<Context, 'reads' | 'isInTransaction'>,
  info: GraphQLResolveInfo,
  id: string,
  howToRead: string,
): Promise<MutationPayload> {
  const read = () => reads.byId<object>(info, id)
  return { selected: await (isInTransaction ? read() : readAfterWrite(howToRead, read)) }
}

/** The permission of a mutation, and its resolver, which is told the permission because it differs for posts and replies. */
export function permitted<Input, Payload>(
  permission: Permission,
  run: (input: Input, permission: Permission, context: Context, info: GraphQLResolveInfo) => Promise<Payload>,
) {
  const resolve = (_root: object, { input }: { readonly input: Input }, context: Context, info: GraphQLResolveInfo) =>
    run(input, permission, context, info)
  return { permission, resolve }
}

/** Reads a payload in the transaction of a deletion, before it deletes. */
export function payloadBefore(context: Context, info: GraphQLResolveInfo, id: string) {
  return async (transaction: Client): Promise<MutationPayload> => ({
    selected: await context.within(transaction).reads.byId<object>(info, id),
  })
}
