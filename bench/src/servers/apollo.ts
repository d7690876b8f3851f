import { ApolloServer } from '@apollo/server'
import { startStandaloneServer } from '@apollo/server/standalone'
import { PrismaPg } from '@prisma/adapter-pg'
import {
  PrismaClient,
  type Publication as PublicationRow,
  type User as UserRow,
} from '../../../src/engine/data/generated/prisma/client.ts'
import { settings } from './child.ts'
import { connectionOf, type PageArgs, pageOf, peerSchema } from './peer-schema.ts'

const { databaseUrl, pool } = settings()
const adapter = new PrismaPg({ connectionString: databaseUrl, max: pool })
const prisma = new PrismaClient({ adapter })

type Context = { readonly viewer: string }
type Publication = PublicationRow & { readonly uuid: string }
type User = UserRow & { readonly uuid: string }

const named = <Row extends { readonly id: string }>(row: Row) => ({ ...row, uuid: row.id })
const optional = <Row extends { readonly id: string }>(row: Row | null) => row && named(row)
const live = { deletedAt: null } as const

// Each field asks Prisma for what it needs. `findUnique` and its relations are what Prisma batches by itself; a batched list it
// reads without its limit, which no thread with many replies bears, so lists are asked for one by one.
const resolvers = {
  Query: {
    homeTimeline: async (_: unknown, args: PageArgs, { viewer }: Context) => {
      const { limit, key } = pageOf(args)
      const rows = await prisma.publication.findMany({
        where: {
          ...live,
          parentId: null,
          ...(key && { id: { lt: key } }),
          OR: [{ authorId: viewer }, { author: { followers: { some: { followerId: viewer } } } }],
        },
        orderBy: { id: 'desc' },
        take: limit,
      })
      return connectionOf(rows.map(named), limit)
    },
    post: async (_: unknown, { uuid }: { uuid: string }) =>
      optional(await prisma.publication.findUnique({ where: { id: uuid, ...live } })),
    user: async (_: unknown, { by }: { by: { uuid: string } }) =>
      optional(await prisma.user.findUnique({ where: { id: by.uuid } })),
  },
  Mutation: {
    toggleLike: async (_: unknown, { input: { uuid } }: { input: { uuid: string } }, { viewer }: Context) => {
      await prisma.$queryRaw`select set_like(bench_uuid_v7(), ${viewer}::uuid, ${uuid}::uuid, null, true, true)`
      return { publication: optional(await prisma.publication.findUnique({ where: { id: uuid } })) }
    },
    sendPost: async (_: unknown, { input: { content } }: { input: { content: string } }, { viewer }: Context) => {
      const [row] = await prisma.$queryRaw<{ id: string }[]>`select id from send_post_for(${viewer}::uuid, ${content})`
      return { publication: optional(await prisma.publication.findUnique({ where: { id: row?.id ?? '' } })) }
    },
  },
  Publication: {
    author: async ({ id }: Publication) => optional(await prisma.publication.findUnique({ where: { id } }).author()),
    viewerHasLiked: async ({ id }: Publication, _: unknown, { viewer }: Context) => {
      const key = { publicationId: id, userId: viewer }
      return (await prisma.like.findUnique({ where: { publicationId_userId: key } })) !== null
    },
    replies: async ({ id }: Publication, args: PageArgs) => {
      const { limit, key } = pageOf(args)
      const where = { parentId: id, ...live, ...(key && { id: { gt: key } }) }
      const rows = await prisma.publication.findMany({ where, orderBy: { id: 'asc' }, take: limit })
      return connectionOf(rows.map(named), limit)
    },
  },
  User: {
    viewerIsFollowing: async ({ id }: User, _: unknown, { viewer }: Context) => {
      const key = { followerId: viewer, followeeId: id }
      return (await prisma.follow.findUnique({ where: { followerId_followeeId: key } })) !== null
    },
    posts: async ({ id }: User, args: PageArgs) => {
      const { limit, key } = pageOf(args)
      const where = { authorId: id, parentId: null, ...live, ...(key && { id: { lt: key } }) }
      const rows = await prisma.publication.findMany({ where, orderBy: { id: 'desc' }, take: limit })
      return connectionOf(rows.map(named), limit)
    },
  },
}

const server = new ApolloServer<Context>({ typeDefs: peerSchema, resolvers, introspection: false })
const { url } = await startStandaloneServer(server, {
  listen: { port: 0, host: '127.0.0.1' },
  context: async ({ req }) => ({ viewer: String(req.headers['x-viewer']) }),
})
process.stdout.write(`${url}\n`)
