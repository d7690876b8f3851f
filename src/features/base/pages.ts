import type { OutputType } from '@pothos/core'
import { maxOffset } from '../../engine/compiler/limits.ts'
import { cursorFormat, cursorLength } from '../../engine/compiler/page-range.ts'
import type { TextForm } from '../../engine/text/text-form.ts'
import { builder } from './builder.ts'

/** A cursor that an object has, or that stands in an input. */
export const cursorForm: TextForm = { min: cursorLength, max: cursorLength, pattern: cursorFormat, words: 'a cursor' }

/** Builds the arguments of a field. */
export type ArgBuilder = Parameters<Parameters<typeof builder.queryField>[1]>[0]['arg']

/** Arguments of a connection that REST also serves in numbered pages. */
export function numberedPageArgs(arg: ArgBuilder) {
  const offset = arg.int({ description: `The number of nodes to skip, 0 to ${maxOffset}.` })
  return { ...arg.connectionArgs(), offset }
}

/** Arguments of a connection that is only read forward, with what its `after` means. */
export function forwardPageArgs(arg: ArgBuilder, description: string) {
  const { first } = arg.connectionArgs()
  return { first, after: arg.string({ description, extensions: { isCursor: true } }) }
}

/** The types of a page of these objects and of its edges. */
export function pageOf<Type extends OutputType<typeof builder.$inferSchemaTypes>>(
  type: Type,
  name: string,
  what: string,
) {
  return builder.connectionObject(
    {
      type,
      name: `${name}Connection`,
      description: `A page of ${what} (Relay Cursor Connections Specification).`,
    },
    { name: `${name}Edge`, description: `A node of a page of ${what}, with its cursor.` },
  )
}
