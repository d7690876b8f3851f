import {
  type FieldNode,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  getArgumentValues,
  getNamedType,
  isObjectType,
  TypeNameMetaFieldDef,
} from 'graphql'
import { prices } from '../reads/cost.ts'
import type { ExecutableOperation } from '../reads/selection.ts'
import { type Fields, type Selected, Selection, setsOf } from '../reads/selection.ts'
import { aroundObject, free, keyBytes, type Price, plus } from './price.ts'

/** The exact price of introspection (GraphQL specification, section 4), which is known because the schema is. */
export class Introspection {
  readonly #executable: ExecutableOperation
  readonly #selection: Selection
  readonly #most: number
  readonly #fields = new Map<readonly FieldNode[], Fields>()
  readonly #known = new Map<readonly FieldNode[], Map<unknown, Price>>()
  #spent = 0

  /** Stops counting above a price of `most`. */
  constructor(executable: ExecutableOperation, most: number) {
    this.#executable = executable
    this.#selection = new Selection(executable)
    this.#most = most
  }

  /** The price of `__schema` or of `__type` on the root type. */
  priceOf(parentType: GraphQLObjectType, field: Selected['field'], node: FieldNode): Price {
    const path = { prev: undefined, key: field.name, typename: parentType.name }
    const asked = { fieldName: field.name, fieldNodes: [node], returnType: field.type, parentType, path, rootValue: {} }
    return this.#field(parentType, { field, nodes: [node] }, undefined, { ...this.#executable, ...asked })
  }

  /** The resolvers of introspection only use the schema of `info`, so one `info` serves all fields. */
  #field(parent: GraphQLObjectType, { field, nodes }: Selected, source: unknown, info: GraphQLResolveInfo): Price {
    const [node] = nodes
    if (!node || this.#spent > this.#most) return free
    this.#spent += prices.introspection
    let [each, values, bytes] = [prices.introspection, 0, keyBytes(node)]
    const type = getNamedType(field.type)
    if (field === TypeNameMetaFieldDef) return { ...free, each, values: 1, bytes: bytes + parent.name.length }
    const args = field.args.length > 0 ? getArgumentValues(field, node, this.#executable.variableValues) : {}
    const value: unknown = field.resolve?.(source, args, undefined, info)
    if (!isObjectType(type)) return { ...free, each, values: 1, bytes: bytes + JSON.stringify(value ?? null).length }
    for (const one of Array.isArray(value) ? value : [value ?? undefined]) {
      const price = this.#object(type, nodes, one, info)
      each += price.each
      values += 1 + price.values
      bytes += price.bytes + aroundObject
    }
    return { ...free, each, values, bytes }
  }

  #object(type: GraphQLObjectType, nodes: readonly FieldNode[], source: unknown, info: GraphQLResolveInfo): Price {
    if (source === undefined) return free
    const known = this.#known.get(nodes) ?? new Map<unknown, Price>()
    this.#known.set(nodes, known)
    const before = known.get(source)
    if (before) {
      this.#spent += before.each
      return before
    }
    const fields = this.#fields.get(nodes) ?? this.#selection.fields(type, setsOf(nodes))
    this.#fields.set(nodes, fields)
    let price = free
    for (const selected of fields.values()) price = plus(price, this.#field(type, selected, source, info))
    known.set(source, price)
    return price
  }
}
