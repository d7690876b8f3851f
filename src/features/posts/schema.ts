import { longText } from '../../engine/compiler/cost.ts'
import { globalId, version } from '../../engine/compiler/field-reads.ts'
import { maxLookups } from '../../engine/compiler/lookup-list.ts'
import { typeKey } from '../../engine/compiler/sql-compiler.ts'
import type { RequestContext } from '../../engine/execution/request-context.ts'
import { User } from '../accounts/schema.ts'
import { builder } from '../base/builder.ts'
import { numberedPageArgs, pageOf } from '../base/pages.ts'
import { readPost, readPublication, readReply, requirePermission } from '../base/permissions.ts'
import * as reads from './reads.ts'

/** A post or a reply. */
export const Publication = builder.prismaInterface('LivePublication', {
  name: 'Publication',
  description: 'A short text: a post, or a reply to another publication.',
  interfaces: [builder.nodeInterfaceRef()],
  resolveType: (row) => String(Reflect.get(row, typeKey)),
  fields: (t) => ({
    id: t.id({ description: 'The opaque global id, with which `node` finds the object.', read: globalId }),
    uuid: t.expose('id', { type: 'UUID', description: 'The uuid, the same in GraphQL and REST.' }),
    author: t.relation('author', { description: 'The user who published it.' }),
    content: t.exposeString('content', {
      description: 'The text as it was sent: 1 to 500 characters (Unicode code points).',
      cost: longText,
    }),
    from: t.relation('application', {
      nullable: true,
      description: 'The application that it was sent from; null if none.',
    }),
    locked: t.exposeBoolean('locked', { description: 'Whether only its author may reply to it.' }),
    replyCount: t.exposeInt('replyCount', { description: 'The number of direct replies, the same for everybody.' }),
    likeCount: t.exposeInt('likeCount', { description: 'The number of likes, the same for everybody.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was published.' }),
    editedAt: t.expose('editedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was last edited; null if never.',
    }),
    version: t.string({
      description:
        'An opaque version that changes with the publication itself, counters included. Compare versions for equality only.',
      read: version,
    }),
  }),
})

const Post = builder.prismaObject('LivePublication', {
  variant: 'Post',
  description: 'A publication that is not a reply.',
  interfaces: [builder.nodeInterfaceRef(), Publication],
  extensions: { where: reads.isPost, nodePermission: readPost },
})

/** A publication with a parent. */
export const Reply = builder.prismaObject('LivePublication', {
  variant: 'Reply',
  description: 'A publication that replies to another one.',
  interfaces: [builder.nodeInterfaceRef(), Publication],
  extensions: { where: reads.isReply, nodePermission: readReply },
  fields: (t) => ({
    parent: t.relation('parent', {
      permission: readPublication,
      nullable: true,
      description: 'The publication that this replies to; null if that was deleted.',
    }),
    parentUuid: t.field({
      type: 'UUID',
      description: 'The uuid of the publication that this replies to, even after its deletion.',
      read: reads.parentUuid,
    }),
  }),
})

/** Pages of posts. */
export const PostConnection = pageOf(Post, 'Post', 'posts')
const ReplyConnection = pageOf(Reply, 'Reply', 'replies')
/** Pages of posts and replies. */
export const PublicationConnection = pageOf(Publication, 'Publication', 'publications')

builder.prismaInterfaceFields(Publication, (t) => ({
  replies: t.field({
    type: ReplyConnection,
    permission: readReply,
    args: numberedPageArgs(t.arg),
    description: 'Direct replies, oldest first.',
    read: reads.repliesTo,
  }),
}))

builder.prismaObjectFields(User, (t) => ({
  posts: t.field({
    type: PostConnection,
    permission: readPost,
    args: numberedPageArgs(t.arg),
    description: 'Posts of the user without replies, newest first.',
    read: reads.postsBy,
  }),
  replies: t.field({
    type: ReplyConnection,
    permission: readReply,
    args: numberedPageArgs(t.arg),
    description: 'Replies of the user, newest first.',
    read: reads.repliesBy,
  }),
}))

type Row = typeof Publication.$inferType

/** A row that was found. Throws `INSUFFICIENT_SCOPE` for its kind. */
function permitted(row: Row, context: RequestContext): Row {
  requirePermission(context.viewer, readPublication, Reflect.get(row, typeKey) === 'Reply' ? 'reply' : 'post')
  return row
}

builder.queryFields((t) => ({
  post: t.field({
    type: Publication,
    permission: readPublication,
    nullable: true,
    description: 'Finds a post or a reply; null if it does not exist or was deleted.',
    args: { uuid: t.arg({ type: 'UUID', required: true, description: 'The uuid of the publication.' }) },
    read: reads.publicationByUuid,
    resolve: async (_root, _args, context, info) => {
      const row = await context.reads.field<Row | null>(info)
      return row && permitted(row, context)
    },
  }),
  publications: t.field({
    type: [Publication],
    permission: readPublication,
    nullable: { list: false, items: true },
    description: `Finds at most ${maxLookups} posts and replies, in the order of the argument; null for each that does not exist or was deleted.`,
    args: { uuids: t.arg({ type: ['UUID'], required: true, description: 'The uuids of the publications.' }) },
    read: reads.publicationsByUuids,
    resolve: async (_root, _args, context, info) => {
      const rows = await context.reads.field<readonly (Row | null)[]>(info)
      return rows.map((row) => row && permitted(row, context))
    },
  }),
  reply: t.field({
    type: Reply,
    permission: readReply,
    nullable: true,
    description: 'Finds a reply; null if it does not exist, was deleted, or is a post.',
    args: { uuid: t.arg({ type: 'UUID', required: true, description: 'The uuid of the reply.' }) },
    read: reads.replyByUuid,
  }),
}))
