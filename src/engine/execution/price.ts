import { type FieldNode, type GraphQLField, type GraphQLSchema, getNamedType, isLeafType } from 'graphql'
import type { DecodedArguments } from '../compiler/arguments.ts'
import { prices } from '../compiler/cost.ts'

/** The most that an operation may cost. */
export const maxCost = 50_000

/** The most without a token: enough for the introspection of GraphiQL and of code generators. */
export const maxCostWithoutToken = 20_000

/** What a field costs without the pages in it, with its path in the response. */
export type Share = { readonly path: string; readonly cost: number }

/**
 * The price of a selection: in units of about 5 microseconds of database time, once for the operation and each time that it is read. The
 * shares of its pages are a part of `perRead`.
 */
export type Price = {
  readonly fixed: number
  readonly perRead: number
  readonly shares: number
  readonly largest: Share
}

/** The price of nothing. */
export const free: Price = { fixed: 0, perRead: 0, shares: 0, largest: { path: '', cost: 0 } }

/** The sum of two prices. */
export function plus(one: Price, other: Price): Price {
  return {
    fixed: one.fixed + other.fixed,
    perRead: one.perRead + other.perRead,
    shares: one.shares + other.shares,
    largest: larger(one.largest, other.largest),
  }
}

const larger = (one: Share, other: Share): Share => (other.cost > one.cost ? other : one)

/** The price of a field whose cost counts as a share of its own. */
export function asShare(price: Price, node: FieldNode): Price {
  const own = { path: keyOf(node), cost: price.perRead - price.shares }
  return { ...price, shares: price.perRead, largest: larger(price.largest, own) }
}

/** The key of a field in the response. */
const keyOf = ({ alias, name }: FieldNode): string => (alias ?? name).value

/** The price of a field with its selection. Throws `VALIDATION_FAILED` for arguments out of bounds. */
export function priceOf(
  schema: GraphQLSchema,
  field: GraphQLField<unknown, unknown>,
  node: FieldNode,
  within: Price,
  decoded?: DecodedArguments,
): Price {
  const { fixed = 0, perRead = 0, perRow = 0, requested } = field.extensions.cost ?? {}
  if (isLeafType(getNamedType(field.type))) return { ...free, fixed, perRead: perRead + prices.leaf }
  const asked = (decoded && requested?.(decoded, schema)) ?? { rows: 1 }
  // The selection of an empty page is compiled all the same.
  const rows = Math.max(asked.rows, 1)
  const { path, cost } = within.largest
  const price = {
    fixed: fixed + within.fixed,
    perRead: perRead + (asked.perRead ?? 0) + rows * (perRow + within.perRead),
    shares: rows * within.shares,
    largest: { path: `${keyOf(node)}.${path}`, cost: rows * cost },
  }
  return requested ? asShare(price, node) : price
}

/** What a field costs by itself, in words. */
export function pointsOf({ type, extensions: { cost = {} } }: GraphQLField<unknown, unknown>): string {
  const { fixed = 0, perRead = 0, perRow = 0, requested } = cost
  const own = fixed + perRead + (isLeafType(getNamedType(type)) ? prices.leaf : 0)
  return `Points: ${Number(own.toFixed(1))}${perRow ? `, and ${perRow}${requested ? ' for each object' : ''} besides its fields` : ''}.`
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

/**
 * The approximate price of a field of introspection (GraphQL specification, section 4) with its selection. GraphQL.js limits how
 * deep lists are nested.
 */
export function priceOfIntrospection(field: GraphQLField<unknown, unknown>, within: Price): Price {
  const objects = introspectedObjects[field.name] ?? 1
  return { ...free, fixed: within.fixed, perRead: prices.introspection + objects * within.perRead }
}
