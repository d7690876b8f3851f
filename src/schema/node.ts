import DataLoader from 'dataloader'
import { type GraphQLResolveInfo, isObjectType } from 'graphql'
import { invalid } from '../errors.ts'
import type { Arguments } from '../reads/arguments.ts'
import { prices } from '../reads/cost.ts'
import { typeKey } from '../reads/statement.ts'
import { nodeScopes } from '../scopes.ts'
import { builder } from './builder.ts'
import { composed } from './composed.ts'
import { type Context, sessionOf } from './context.ts'
import { decodeGlobalId, type GlobalId } from './global-id.ts'

/** How many ids `nodes` takes at most. */
const maxNodes = 100

type Node = { readonly [typeKey]: string }

/** The object of a global id; null when there is none, it was deleted, or it is another's token. */
async function findNode({ type, uuid }: GlobalId, context: Context, info: GraphQLResolveInfo): Promise<Node | null> {
  const row = type === 'AccessToken' ? await findOwnToken(uuid, context) : await findComposed(type, uuid, context, info)
  return row && { ...row, [typeKey]: type }
}

type Tokens = DataLoader<string, object | null>

/** The loaders of requests that asked for tokens. */
const loaders = new WeakMap<Context, Tokens>()

function findOwnToken(id: string, context: Context): Promise<object | null> {
  const loader = loaders.get(context) ?? ownTokens(context)
  loaders.set(context, loader)
  return loader.load(id)
}

/** Finds the viewer's tokens by their ids: those that are asked for at the same time by one statement. */
function ownTokens(context: Context): Tokens {
  const { viewerId: userId } = sessionOf(context)
  return new DataLoader(
    async (ids) => {
      const found = await context.database.read.accessToken.findMany({ where: { userId, id: { in: [...ids] } } })
      const byId = new Map(found.map((token) => [token.id, token]))
      return ids.map((id) => byId.get(id) ?? null)
    },
    // A mutation may come between two look-ups.
    { cache: false },
  )
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

/** What looking up these ids costs, and what it needs: a statement for each type, and the scopes of that. */
function lookUp(idsOf: (args: Arguments) => readonly GlobalId[]) {
  const typesOf = (args: Arguments) => new Set(idsOf(args).map(({ type }) => type))
  const asks = (args: Arguments) => ({ rows: idsOf(args).length, each: typesOf(args).size * prices.statement })
  const scopesAsked = (args: Arguments) => {
    const needed = [...typesOf(args)].flatMap((type) => {
      const sets = nodeScopes[type]
      return sets ? [[`Node ${type}`, sets] as const] : []
    })
    return new Map(needed)
  }
  return { extensions: { cost: { once: prices.plannedObject, row: prices.object, asks }, scopesAsked } }
}

function idsOf(ids: readonly unknown[]): readonly GlobalId[] {
  if (ids.length > maxNodes) throw invalid({ field: 'ids', message: `must be at most ${maxNodes}` })
  return ids.map((id) => decodeGlobalId(String(id), 'ids'))
}

builder.queryFields((t) => ({
  node: t.field({
    type: builder.nodeInterfaceRef(),
    nullable: true,
    description:
      "Whatever has this global id; null when there is nothing, or another's token. Needs the scopes of its type.",
    args: { id: t.arg.id({ required: true, description: 'Global id.' }) },
    ...lookUp(({ id }) => [decodeGlobalId(String(id), 'id')]),
    resolve: (_root, { id }, context, info) => findNode(decodeGlobalId(id, 'id'), context, info),
  }),
  nodes: t.field({
    type: [builder.nodeInterfaceRef()],
    nullable: { list: false, items: true },
    description:
      'Whatever has these global ids, in their order; at most 100. Each is null or needs its scopes as in `node`.',
    args: { ids: t.arg.idList({ required: true, description: 'Global ids.' }) },
    ...lookUp(({ ids }) => (Array.isArray(ids) ? idsOf(ids) : [])),
    resolve: (_root, { ids }, context, info) => idsOf(ids).map((id) => findNode(id, context, info)),
  }),
}))
