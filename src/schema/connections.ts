import { maxOffset } from '../reads/window.ts'
import { builder } from './builder.ts'
import { Application, Post, Reply, User } from './refs.ts'

type ArgBuilder = Parameters<Parameters<typeof builder.queryField>[1]>[0]['arg']

/** Arguments of a connection that REST also serves by page number. */
export function numberedPageArgs(arg: ArgBuilder) {
  return { ...arg.connectionArgs(), offset: arg.int({ description: `How many to pass over, 0 to ${maxOffset}.` }) }
}

const describe = (what: string) =>
  [
    { description: `A page of ${what} (Relay Cursor Connections Specification).` },
    { description: `One of the ${what} of a page, with its cursor.` },
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
