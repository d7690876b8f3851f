import { type GraphQLResolveInfo, isObjectType } from 'graphql'
import { invalid } from '../errors.ts'
import { typeKey } from '../reads/statement.ts'
import { builder } from './builder.ts'
import { composed } from './composed.ts'
import { type Context, sessionOf } from './context.ts'
import { decodeGlobalId, type GlobalId } from './global-id.ts'

/** How many ids `nodes` takes at most. */
export const maxNodes = 100

type Node = { readonly [typeKey]: string }

/** The object of a global id; null when there is none, it was deleted, or it is another's token. */
async function findNode({ type, uuid }: GlobalId, context: Context, info: GraphQLResolveInfo): Promise<Node | null> {
  const row = type === 'AccessToken' ? await findOwnToken(uuid, context) : await findComposed(type, uuid, context, info)
  return row && { ...row, [typeKey]: type }
}

function findOwnToken(id: string, context: Context): Promise<object | null> {
  const { viewerId } = sessionOf(context)
  // Prisma batches what `findUnique` is asked for at the same time, which it does not for `findFirst`.
  return context.database.read.accessToken.findUnique({ where: { id, userId: viewerId } })
}

async function findComposed(
  name: string,
  uuid: string,
  { reads }: Context,
  info: GraphQLResolveInfo,
): Promise<object | null> {
  const type = info.schema.getType(name)
  return isObjectType(type) ? composed<object | null>(await reads.byId(info, uuid, type)) : null
}

builder.queryFields((t) => ({
  node: t.field({
    type: builder.nodeInterfaceRef(),
    nullable: true,
    description:
      "Whatever has this global id; null when there is nothing, or another's token. Needs the scopes of its type.",
    args: { id: t.arg.id({ required: true, description: 'Global id.' }) },
    resolve: (_root, { id }, context, info) => findNode(decodeGlobalId(id, 'id'), context, info),
  }),
  nodes: t.field({
    type: [builder.nodeInterfaceRef()],
    nullable: { list: false, items: true },
    description:
      'Whatever has these global ids, in their order; at most 100. Each is null or needs its scopes as in `node`.',
    args: { ids: t.arg.idList({ required: true, description: 'Global ids.' }) },
    resolve: (_root, { ids }, context, info) => {
      if (ids.length > maxNodes) throw invalid({ field: 'ids', message: `must be at most ${maxNodes}` })
      return ids.map((id) => findNode(decodeGlobalId(id, 'ids'), context, info))
    },
  }),
}))
