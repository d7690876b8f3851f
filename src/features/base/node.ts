import type { GraphQLResolveInfo, GraphQLSchema } from 'graphql'
import type { Arguments, DecodedArguments } from '../../engine/compiler/arguments.ts'
import { prices } from '../../engine/compiler/cost.ts'
import { typeKey } from '../../engine/compiler/sql-compiler.ts'
import type { RequestContext } from '../../engine/execution/request-context.ts'
import { decodeGlobalId, type GlobalId } from '../../engine/schema/scalars.ts'
import { scopeSetsOf } from '../../engine/scopes.ts'
import { builder } from './builder.ts'
import { lookupList, maxLookups } from './lookup-list.ts'

type Node = { readonly [typeKey]: string }

/** The object with this global id; null if there is none, it was deleted, or it is the token of another account. */
async function findNode(
  { type, uuid }: GlobalId,
  context: RequestContext,
  info: GraphQLResolveInfo,
): Promise<Node | null> {
  const row = await context.reads.byId<object | null>(info, uuid, type)
  return row && { ...row, [typeKey]: type.name }
}

type Decode = (args: Arguments, schema: GraphQLSchema) => readonly GlobalId[]

/** The cost and the scopes of finding objects by their global ids: one statement for each type, with the scopes of that type. */
function findingNodes(decode: Decode) {
  const typesOf = (ids: readonly GlobalId[]) => new Set(ids.map(({ type }) => type))
  const requested = ({ args }: DecodedArguments, schema: GraphQLSchema) => {
    const ids = decode(args, schema)
    return { rows: ids.length, perRead: typesOf(ids).size * prices.statement }
  }
  const scopesOfArguments = (args: Arguments, schema: GraphQLSchema) => {
    const needed = [...typesOf(decode(args, schema))].flatMap(({ name, extensions: { nodePermission } }) =>
      nodePermission ? [[`A global id of type ${name}`, scopeSetsOf(nodePermission)] as const] : [],
    )
    return new Map(needed)
  }
  const cost = { fixed: prices.plannedObject, perRow: prices.object, requested }
  return { cost, extensions: { scopesOfArguments } }
}

function decodeIds(ids: unknown, schema: GraphQLSchema): readonly GlobalId[] {
  return lookupList('ids', ids).map((id, index) => decodeGlobalId(String(id), `ids[${index}]`, schema))
}

builder.queryFields((t) => ({
  node: t.field({
    type: builder.nodeInterfaceRef(),
    nullable: true,
    description:
      'Finds an object by its global id; null if there is none, or if it is the access token of another ' +
      'account. Requires the scopes of the type of the object.',
    args: { id: t.arg.id({ required: true, description: 'The global id of the object.' }) },
    ...findingNodes(({ id }, schema) => [decodeGlobalId(String(id), 'id', schema)]),
    resolve: (_root, { id }, context, info) => findNode(decodeGlobalId(id, 'id', info.schema), context, info),
  }),
  nodes: t.field({
    type: [builder.nodeInterfaceRef()],
    nullable: { list: false, items: true },
    description:
      `Finds at most ${maxLookups} objects by their global ids, in the order of the argument, each as ` +
      '`node` does. If finding one of them fails, the whole field fails.',
    args: { ids: t.arg.idList({ required: true, description: 'The global ids of the objects.' }) },
    ...findingNodes(({ ids }, schema) => decodeIds(ids, schema)),
    // If a statement fails, one error says so, not one for each object.
    resolve: (_root, { ids }, context, info) =>
      Promise.all(decodeIds(ids, info.schema).map((id) => findNode(id, context, info))),
  }),
}))
