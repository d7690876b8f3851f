import { maxOffset } from '../reads/page-range.ts'
import { builder } from './builder.ts'
import { Application, Post, Publication, Reply, User } from './refs.ts'

type ArgBuilder = Parameters<Parameters<typeof builder.queryField>[1]>[0]['arg']

/** Arguments of a connection that REST also serves in numbered pages. */
export function numberedPageArgs(arg: ArgBuilder) {
  return { ...arg.connectionArgs(), offset: arg.int({ description: `Number of nodes to skip, 0 to ${maxOffset}.` }) }
}

const describe = (what: string) =>
  [
    { description: `A page of ${what} (Relay Cursor Connections Specification).` },
    { description: `An edge of a page of ${what}: a node with its cursor.` },
  ] as const

const [posts, post] = describe('posts')
/** Pages of posts. */
export const PostConnection = builder.connectionObject(
  { type: Post, name: 'PostConnection', ...posts },
  { name: 'PostEdge', ...post },
)

const [replies, reply] = describe('replies')
/** Pages of replies. */
export const ReplyConnection = builder.connectionObject(
  { type: Reply, name: 'ReplyConnection', ...replies },
  { name: 'ReplyEdge', ...reply },
)

const [publications, publication] = describe('publications')
/** Pages of posts and replies. */
export const PublicationConnection = builder.connectionObject(
  { type: Publication, name: 'PublicationConnection', ...publications },
  { name: 'PublicationEdge', ...publication },
)

const [users, user] = describe('users')
/** Pages of users. */
export const UserConnection = builder.connectionObject(
  { type: User, name: 'UserConnection', ...users },
  { name: 'UserEdge', ...user },
)

const [applications, application] = describe('applications')
/** Pages of applications. */
export const ApplicationConnection = builder.connectionObject(
  { type: Application, name: 'ApplicationConnection', ...applications },
  { name: 'ApplicationEdge', ...application },
)
