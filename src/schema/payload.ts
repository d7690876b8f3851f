import type { GraphQLResolveInfo } from 'graphql'
import { readAfterWrite } from '../domain/write-outcome.ts'
import type { Context } from './context.ts'

/** The payload of a mutation: the objects that were selected, by response key, with fields of its own. */
export type MutationPayload = { readonly selected: object }

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
  const read = () => reads.byId(info, id)
  return { selected: resultAs(await (isInTransaction ? read() : readAfterWrite(howToRead, read))) }
}

/** The result of a compiled statement, as the type that it was compiled for. */
export function resultAs<T = object>(answer: unknown): T {
  // The only place where JSON gets a type: the statement was compiled from the selection that is being resolved.
  return answer as T
}
