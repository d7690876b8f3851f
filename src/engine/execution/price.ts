import { type FieldNode, type GraphQLField, type GraphQLSchema, getNamedType, isLeafType } from 'graphql'
import type { Arguments } from '../compiler/arguments.ts'
import { prices } from '../compiler/cost.ts'

/** The most that an operation may cost. */
export const maxCost = 50_000

/** The most without a token: enough for the introspection of GraphiQL and of code generators. */
export const maxCostWithoutToken = 20_000

/** What a field costs without the pages in it, with its path in the response. */
export type Share = { readonly path: string; readonly cost: number }

/**
 * The price of a selection: in units of about 5 microseconds of database time, once for the operation and each time that it is read. The
 * shares of its pages are a part of `each`.
 */
export type Price = {
  readonly once: number
  readonly each: number
  readonly shares: number
  readonly largest: Share
}

/** The price of nothing. */
export const free: Price = { once: 0, each: 0, shares: 0, largest: { path: '', cost: 0 } }

/** The sum of two prices. */
export function plus(one: Price, other: Price): Price {
  return {
    once: one.once + other.once,
    each: one.each + other.each,
    shares: one.shares + other.shares,
    largest: larger(one.largest, other.largest),
  }
}

const larger = (one: Share, other: Share): Share => (other.cost > one.cost ? other : one)

/** The price of a field whose cost counts as a share of its own. */
export function asShare(price: Price, node: FieldNode): Price {
  const own = { path: keyOf(node), cost: price.each - price.shares }
  return { ...price, shares: price.each, largest: larger(price.largest, own) }
}

/** The key of a field in the response. */
const keyOf = ({ alias, name }: FieldNode): string => (alias ?? name).value

/** The price of a field with its selection. Throws `VALIDATION_FAILED` for arguments out of bounds. */
export function priceOf(
  schema: GraphQLSchema,
  field: GraphQLField<unknown, unknown>,
  node: FieldNode,
  within: Price,
  args: Arguments,
): Price {
  const { once = 0, each = 0, row = 0, asks } = field.extensions.cost ?? {}
  if (isLeafType(getNamedType(field.type))) return { ...free, once, each: each + prices.leaf }
  const asked = asks?.(args, schema) ?? { rows: 1 }
  // The selection of an empty page is compiled all the same.
  const rows = Math.max(asked.rows, 1)
  const { path, cost } = within.largest
  const price = {
    once: once + within.once,
    each: each + (asked.each ?? 0) + rows * (row + within.each),
    shares: rows * within.shares,
    largest: { path: `${keyOf(node)}.${path}`, cost: rows * cost },
  }
  return asks ? asShare(price, node) : price
}

/** What a field costs by itself, in words. */
export function pointsOf({ type, extensions: { cost = {} } }: GraphQLField<unknown, unknown>): string {
  const { once = 0, each = 0, row = 0, asks } = cost
  const own = once + each + (isLeafType(getNamedType(type)) ? prices.leaf : 0)
  return `Points: ${Number(own.toFixed(1))}${row ? `, and ${row}${asks ? ' for each object' : ''} besides its fields` : ''}.`
}

/** How many objects these fields of introspection return on average in the schema. Others return one. */
const introspectedObjects: Readonly<Record<string, number>> = {
  types: 74,
  directives: 6,
  fields: 2.9,
  inputFields: 0.6,
  enumValues: 0.7,
  args: 0.5,
  interfaces: 0.2,
  possibleTypes: 0.2,
  ofType: 0.45,
}

/** The approximate price of a field of introspection (GraphQL specification, section 4) with its selection. GraphQL.js limits how deep lists are nested. */
export function priceOfIntrospection(field: GraphQLField<unknown, unknown>, within: Price): Price {
  const objects = introspectedObjects[field.name] ?? 1
  return { ...free, once: within.once, each: prices.introspection + objects * within.each }
}
