import { type FieldNode, type GraphQLField, getNamedType, isLeafType } from 'graphql'
import type { Arguments } from '../reads/arguments.ts'
import { leafBytes, prices } from '../reads/cost.ts'

/**
 * What a selection costs: in units of about 5 microseconds of database time, once for the operation and each time that it is read, and
 * in bytes of the answer, at most.
 */
export type Price = { readonly once: number; readonly each: number; readonly bytes: number }

/** What nothing costs. */
export const free: Price = { once: 0, each: 0, bytes: 0 }

/** What both cost together. */
export function plus(one: Price, other: Price): Price {
  return { once: one.once + other.once, each: one.each + other.each, bytes: one.bytes + other.bytes }
}

/** How many bytes JSON has around the value of a key. */
const aroundValue = '"":,'.length

/** How many bytes JSON has around an object in a list. */
export const aroundObject = '{},'.length

/** How many bytes the key of a field takes in the answer. */
export function keyBytes({ alias, name }: FieldNode): number {
  return (alias ?? name).value.length + aroundValue
}

/** What a field costs with what is selected below it. Throws `VALIDATION_FAILED` for arguments out of bounds. */
export function priceOf(field: GraphQLField<unknown, unknown>, node: FieldNode, within: Price, args: Arguments): Price {
  const { once = 0, each = 0, row = 0, asks } = field.extensions.cost ?? {}
  const type = getNamedType(field.type)
  if (isLeafType(type)) {
    const bytes = leafBytes(field, type) ?? 0
    return { once, each: each + prices.leaf + bytes * prices.byte, bytes: keyBytes(node) + bytes }
  }
  const asked = asks?.(args) ?? { rows: 1, each: 0 }
  // What an empty page nests is composed all the same.
  const rows = Math.max(asked.rows, 1)
  return {
    once: once + within.once,
    each: each + asked.each + rows * (row + within.each),
    bytes: keyBytes(node) + rows * (within.bytes + aroundObject),
  }
}
