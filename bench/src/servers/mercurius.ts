import Fastify from 'fastify'
import mercurius, { type MercuriusContext, type MercuriusLoaders } from 'mercurius'
import * as data from './mercurius-data.ts'
import { type PageArgs, peerSchema } from './peer-schema.ts'

declare module 'mercurius' {
  interface MercuriusContext {
    viewer: string
  }
}

const app = Fastify()

type Query<Row> = { readonly obj: Row; readonly params: PageArgs }

/** Mercurius batches what one selection asks for, and the arguments are then the same. */
const argsOf = (queries: readonly Query<unknown>[]): PageArgs => queries[0]?.params ?? {}

const loaders: MercuriusLoaders = {
  Publication: {
    author: (queries: Query<data.Publication>[]) => data.usersById(queries.map(({ obj }) => obj.authorId)),
    viewerHasLiked: async (queries: Query<data.Publication>[], { viewer }: MercuriusContext) => {
      const liked = await data.likedBy(
        viewer,
        queries.map(({ obj }) => obj.uuid),
      )
      return queries.map(({ obj }) => liked.has(obj.uuid))
    },
    replies: (queries: Query<data.Publication>[]) =>
      data.pagesOf(
        'replies',
        queries.map(({ obj }) => obj.uuid),
        argsOf(queries),
      ),
  },
  User: {
    viewerIsFollowing: async (queries: Query<data.User>[], { viewer }: MercuriusContext) => {
      const followed = await data.followedBy(
        viewer,
        queries.map(({ obj }) => obj.uuid),
      )
      return queries.map(({ obj }) => followed.has(obj.uuid))
    },
    posts: (queries: Query<data.User>[]) =>
      data.pagesOf(
        'posts',
        queries.map(({ obj }) => obj.uuid),
        argsOf(queries),
      ),
  },
}

app.register(mercurius, {
  schema: peerSchema,
  jit: 1,
  graphiql: false,
  context: ({ headers }) => ({ viewer: String(headers['x-viewer']) }),
  resolvers: {
    Query: {
      homeTimeline: (_: unknown, args: PageArgs, { viewer }: MercuriusContext) => data.homeTimeline(viewer, args),
      post: (_: unknown, { uuid }: { uuid: string }) => data.post(uuid),
      user: (_: unknown, { by }: { by: { uuid: string } }) => data.userById(by.uuid),
    },
    Mutation: {
      toggleLike: async (_: unknown, { input }: { input: { uuid: string } }, { viewer }: MercuriusContext) => {
        await data.query('like', 'select set_like(bench_uuid_v7(), $1, $2, null, true, true)', [viewer, input.uuid])
        return { publication: await data.post(input.uuid) }
      },
      sendPost: async (_: unknown, { input }: { input: { content: string } }, { viewer }: MercuriusContext) => {
        const text = 'select id from send_post_for($1, $2)'
        const [row] = await data.query<{ id: string }>('send', text, [viewer, input.content])
        return { publication: await data.post(row?.id ?? '') }
      },
    },
  },
  loaders,
})

process.stdout.write(`${await app.listen({ port: 0, host: '127.0.0.1' })}\n`)
