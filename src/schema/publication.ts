import { accessTo, requireKind } from '../domain/access.ts'
import { contentBounds } from '../domain/publications.ts'
import { applicationOfPublication } from '../reads/applications.ts'
import { costOf } from '../reads/cost.ts'
import * as reads from '../reads/publications.ts'
import { globalId, uuid } from '../reads/read.ts'
import { typeKey } from '../reads/statement.ts'
import { author } from '../reads/users.ts'
import { builder } from './builder.ts'
import { composed, nested, root, value } from './composed.ts'
import { numberedPageArgs, ReplyConnection } from './connections.ts'
import { sessionOf } from './context.ts'
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
  description: 'A short text that somebody published: a post, or a reply to one.',
  interfaces: [builder.nodeInterfaceRef()],
  extensions: { entity: reads.publicationEntity },
  resolveType: (row) => row[typeKey],
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Global id, for `node`. It is opaque.', ...value(globalId) }),
    uuid: t.expose('uuid', { type: 'UUID', description: 'Identifier, as the REST interface has it.', ...value(uuid) }),
    author: t.field({ type: User, description: 'Who published it.', ...nested<UserRow>(author) }),
    content: t.exposeString('content', {
      description: '1 to 500 characters (Unicode code points), as sent.',
      ...textOf(contentBounds.max),
    }),
    from: t.field({
      type: Application,
      nullable: true,
      description: 'The application that it was sent from; null when none.',
      ...nested<ApplicationRow | null>(applicationOfPublication),
    }),
    locked: t.exposeBoolean('locked', { description: 'Whether its author alone may reply to it.' }),
    replyCount: t.exposeInt('replyCount', { description: 'Number of direct replies.' }),
    likeCount: t.exposeInt('likeCount', { description: 'Number of likes.' }),
    viewerHasLiked: t.exposeBoolean('viewerHasLiked', {
      description: 'Whether the viewer likes it.',
      ...value(reads.viewerHasLiked),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was sent.' }),
    editedAt: t.expose('editedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was last changed; null when never.',
    }),
    replies: t.field({
      type: ReplyConnection,
      args: numberedPageArgs(t.arg),
      description: 'Direct replies, oldest first.',
      ...nested<Connection<ReplyRow>>(reads.replies),
    }),
  }),
})

builder.objectType(Post, {
  description: 'A publication without a parent.',
  interfaces: [builder.nodeInterfaceRef(), Publication],
  extensions: { entity: reads.postEntity },
})

builder.objectType(Reply, {
  description: 'A publication with a parent.',
  interfaces: [builder.nodeInterfaceRef(), Publication],
  extensions: { entity: reads.replyEntity },
  fields: (t) => ({
    parent: t.field({
      type: Publication,
      nullable: true,
      description: 'What this replies to; null when that was deleted.',
      ...nested<PublicationRow | null>(reads.parent),
    }),
    parentUuid: t.expose('parentUuid', {
      type: 'UUID',
      description: 'Identifier of what this replies to, also after its deletion.',
      ...value(reads.parentUuid),
    }),
  }),
})

builder.queryFields((t) => ({
  post: t.field({
    type: Publication,
    nullable: true,
    description: 'A post or a reply; null when there is none or it was deleted.',
    args: { uuid: t.arg({ type: 'UUID', required: true, description: 'Identifier of the publication.' }) },
    extensions: { read: reads.publicationByUuid, cost: costOf(reads.publicationByUuid) },
    resolve: async (_root, _args, context, info) => {
      const row = composed<PublicationRow | null>(await context.reads.field(info))
      if (row)
        requireKind(accessTo('Query.post', sessionOf(context).scopes), row[typeKey] === 'Reply' ? 'reply' : 'post')
      return row
    },
  }),
  reply: t.field({
    type: Reply,
    nullable: true,
    description: 'A reply; null when there is none, it was deleted, or it is a post.',
    args: { uuid: t.arg({ type: 'UUID', required: true, description: 'Identifier of the reply.' }) },
    ...root<ReplyRow | null>(reads.replyByUuid),
  }),
}))
