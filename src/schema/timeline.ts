import { readPost } from '../domain/permissions.ts'
import { homeTimeline, publicTimeline } from '../reads/timelines.ts'
import { builder } from './builder.ts'
import { PostConnection } from './publication.ts'

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
