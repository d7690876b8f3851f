import { longText } from '../../engine/compiler/cost.ts'
import { globalId, version } from '../../engine/compiler/field-reads.ts'
import { typeKey } from '../../engine/compiler/sql-compiler.ts'
import type { RequestContext } from '../../engine/execution/request-context.ts'
import { User } from '../accounts/schema.ts'
import { contentBounds, versionForm, warningBounds } from '../base/bounds.ts'
import { builder } from '../base/builder.ts'
import { formed, stored, withForm } from '../base/input-rules.ts'
import { maxLookups } from '../base/lookup-list.ts'
import { numberedPageArgs, pageOf } from '../base/pages.ts'
import { readAnyPublication, readPost, readPublication, readReply, requirePermission } from '../base/permissions.ts'
import * as reads from './reads.ts'

/** Whom a publication is for. */
export const Audience = builder.enumType('Audience', {
  description:
    'Who can see a publication. Its replies have the same audience or a narrower one. Authors can always see what they publish.',
  values: {
    EVERYBODY: {
      description: 'Everybody. While its author is private, only their followers and the author of its parent.',
    },
    FOLLOWERS: {
      description:
        'Followers of its author, and the author of its parent. A reply to a publication for followers is for those of the ' +
        'same account.',
    },
    ADDRESSED: {
      description:
        'The author of its parent, and the accounts that it mentioned when it was sent, if they can see the parent. A reply ' +
        'to a publication for addressees has the same addressees.',
    },
  } as const,
})

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
      ...formed('The text as it was sent', stored(contentBounds), 'Characters are Unicode code points.'),
      cost: longText,
    }),
    warning: t.exposeString('warning', {
      nullable: true,
      ...formed(
        'What readers should know before they read the text',
        stored(warningBounds),
        'Hide the text until they ask for it. Null if there is none.',
      ),
      cost: longText,
    }),
    language: t.expose('language', {
      type: 'LanguageTag',
      nullable: true,
      description: 'The language of the text; null if unknown.',
    }),
    from: t.relation('application', {
      nullable: true,
      description: 'The application that it was sent from; null if none.',
    }),
    locked: t.exposeBoolean('locked', { description: 'Whether only its author may reply to it.' }),
    quotable: t.exposeBoolean('quotable', { description: 'Whether others may quote it.' }),
    quoteCount: t.exposeInt('quoteCount', {
      description: 'The number of quotes that are for everybody. Everybody sees the same number.',
    }),
    audience: t.expose('audience', { type: Audience, description: 'Who can see it. This never changes.' }),
    replyCount: t.exposeInt('replyCount', {
      description: 'The number of direct replies with the same audience. Everybody sees the same number.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was published.' }),
    editedAt: t.expose('editedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was last edited; null if never.',
    }),
    quotedUuid: t.expose('quotedId', {
      type: 'UUID',
      nullable: true,
      description: 'The uuid of the publication that it quotes, even after its deletion; null if it quotes none.',
    }),
    version: t.string({
      description:
        'An opaque version that changes with the publication itself, counters included. Compare versions for equality only.',
      ...withForm(versionForm),
      read: version,
    }),
  }),
})

builder.prismaInterfaceFields(Publication, (t) => ({
  quoted: t.relation('quoted', {
    permission: readPublication,
    nullable: true,
    description:
      'The publication that it quotes; null if it quotes none, and if that was deleted or is hidden from the viewer.',
  }),
}))

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
  quotes: t.field({
    type: PublicationConnection,
    permission: readAnyPublication,
    args: numberedPageArgs(t.arg),
    description: 'Publications that quote it, newest first.',
    read: reads.quotesOf,
  }),
}))

builder.prismaObjectFields(User, (t) => ({
  posts: t.field({
    type: PostConnection,
    permission: readPost,
    args: numberedPageArgs(t.arg),
    description: 'Posts of the user, newest first, without replies and without posts for addressees.',
    read: reads.postsBy,
  }),
  replies: t.field({
    type: ReplyConnection,
    permission: readReply,
    args: numberedPageArgs(t.arg),
    description: 'Replies of the user, newest first, without those for addressees.',
    read: reads.repliesBy,
  }),
  addressed: t.field({
    type: PublicationConnection,
    nullable: true,
    permission: readAnyPublication,
    args: numberedPageArgs(t.arg),
    description:
      'Posts and replies that started a conversation between addressees, of whom the viewer is one, newest first; null for ' +
      'anybody else. Their replies are in their threads.',
    read: reads.addressedToViewer,
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
    description:
      `Finds at most ${maxLookups} posts and replies, in the order of the argument; null for each that ` +
      'does not exist or was deleted.',
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
