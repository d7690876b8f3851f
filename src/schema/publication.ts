import { requirePermission } from '../domain/access.ts'
import { readPost, readPublication, readReply, readUser } from '../domain/permissions.ts'
import { contentBounds } from '../domain/publications.ts'
import { applicationOfPublication } from '../reads/applications.ts'
import { costOf } from '../reads/cost.ts'
import { likers, viewerHasLiked } from '../reads/likes.ts'
import { maxLookups } from '../reads/lookup-list.ts'
import * as reads from '../reads/publications.ts'
import { globalId, uuid } from '../reads/read.ts'
import { typeKey } from '../reads/sql-compiler.ts'
import { author } from '../reads/users.ts'
import { builder } from './builder.ts'
import { nested, resultAs, root, value, versionOf } from './compiled.ts'
import { numberedPageArgs, ReplyConnection, UserConnection } from './connections.ts'
import { type Context, sessionOf } from './context.ts'
import { textOf } from './cost.ts'
import type { Connection } from './pages.ts'
import {
  Application,
  type ApplicationRow,
  Post,
  Publication,
  type PublicationRow,
  Reply,
  type ReplyRow,
  User,
  type UserRow,
} from './refs.ts'

builder.interfaceType(Publication, {
  description: 'A short text: a post, or a reply to another publication.',
  interfaces: [builder.nodeInterfaceRef()],
  extensions: { entity: reads.publicationEntity },
  resolveType: (row) => row[typeKey],
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Opaque global id, for `node`.', ...value(globalId) }),
    uuid: t.expose('uuid', {
      type: 'UUID',
      description: 'Identifier, the same as in the REST interface.',
      ...value(uuid),
    }),
    author: t.field({ type: User, description: 'The user who published it.', ...nested<UserRow>(author) }),
    content: t.exposeString('content', {
      description: 'The text, 1 to 500 characters (Unicode code points), as sent.',
      ...textOf(contentBounds.max),
    }),
    from: t.field({
      type: Application,
      nullable: true,
      description: 'The application that it was sent from; null if none.',
      ...nested<ApplicationRow | null>(applicationOfPublication),
    }),
    locked: t.exposeBoolean('locked', { description: 'Whether only its author may reply to it.' }),
    replyCount: t.exposeInt('replyCount', { description: 'Number of direct replies.' }),
    likeCount: t.exposeInt('likeCount', { description: 'Number of likes.' }),
    viewerHasLiked: t.exposeBoolean('viewerHasLiked', {
      description: 'Whether the viewer likes it.',
      ...value(viewerHasLiked),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was published.' }),
    editedAt: t.expose('editedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was last edited; null if never.',
    }),
    version: t.exposeString('version', {
      description:
        'Changes with every change of the publication itself, counters included. Compare versions for equality only.',
      ...versionOf,
    }),
    replies: t.field({
      type: ReplyConnection,
      permission: readReply,
      args: numberedPageArgs(t.arg),
      description: 'Direct replies, oldest first.',
      ...nested<Connection<ReplyRow>>(reads.replies),
    }),
    likers: t.field({
      type: UserConnection,
      permission: readUser,
      args: numberedPageArgs(t.arg),
      description: 'Users who like it, most recent like first.',
      ...nested<Connection<UserRow>>(likers),
    }),
  }),
})

builder.objectType(Post, {
  description: 'A publication that is not a reply.',
  interfaces: [builder.nodeInterfaceRef(), Publication],
  extensions: { entity: reads.postEntity, nodePermission: readPost },
})

builder.objectType(Reply, {
  description: 'A publication that replies to another one.',
  interfaces: [builder.nodeInterfaceRef(), Publication],
  extensions: { entity: reads.replyEntity, nodePermission: readReply },
  fields: (t) => ({
    parent: t.field({
      type: Publication,
      permission: readPublication,
      nullable: true,
      description: 'The publication that this replies to; null if that was deleted.',
      ...nested<PublicationRow | null>(reads.parent),
    }),
    parentUuid: t.expose('parentUuid', {
      type: 'UUID',
      description: 'Identifier of the publication that this replies to, even after its deletion.',
      ...value(reads.parentUuid),
    }),
  }),
})

/** A row that was found. Throws `INSUFFICIENT_SCOPE` for its kind. */
function permitted(row: PublicationRow, context: Context): PublicationRow {
  requirePermission(sessionOf(context), readPublication, row[typeKey] === 'Reply' ? 'reply' : 'post')
  return row
}

builder.queryFields((t) => ({
  post: t.field({
    type: Publication,
    permission: readPublication,
    nullable: true,
    description: 'Finds a post or a reply; null if it does not exist or was deleted.',
    args: { uuid: t.arg({ type: 'UUID', required: true, description: 'Identifier of the publication.' }) },
    extensions: { read: reads.publicationByUuid, cost: costOf(reads.publicationByUuid) },
    resolve: async (_root, _args, context, info) => {
      const row = resultAs<PublicationRow | null>(await context.reads.field(info))
      return row && permitted(row, context)
    },
  }),
  publications: t.field({
    type: [Publication],
    permission: readPublication,
    nullable: { list: false, items: true },
    description: `Finds posts and replies, at most ${maxLookups}, in the same order; null for each that does not exist or was deleted.`,
    args: { uuids: t.arg({ type: ['UUID'], required: true, description: 'Identifiers of the publications.' }) },
    extensions: { read: reads.publicationsByUuids, cost: costOf(reads.publicationsByUuids) },
    resolve: async (_root, _args, context, info) => {
      const rows = resultAs<readonly (PublicationRow | null)[]>(await context.reads.field(info))
      return rows.map((row) => row && permitted(row, context))
    },
  }),
  reply: t.field({
    type: Reply,
    permission: readReply,
    nullable: true,
    description: 'Finds a reply; null if it does not exist, was deleted, or is a post.',
    args: { uuid: t.arg({ type: 'UUID', required: true, description: 'Identifier of the reply.' }) },
    ...root<ReplyRow | null>(reads.replyByUuid),
  }),
}))
