import { builder } from '../base/builder.ts'
import { readPost } from '../base/permissions.ts'
import { PostConnection } from '../posts/schema.ts'
import { homeTimeline, publicTimeline } from './reads.ts'

builder.queryFields((t) => ({
  homeTimeline: t.field({
    type: PostConnection,
    permission: readPost,
    args: t.arg.connectionArgs(),
    description: 'Posts of the viewer and of the accounts that the viewer follows, newest first.',
    read: homeTimeline,
  }),
  publicTimeline: t.field({
    type: PostConnection,
    permission: readPost,
    args: t.arg.connectionArgs(),
    description: 'Posts of all users, newest first.',
    read: publicTimeline,
  }),
}))
