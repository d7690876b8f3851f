import { readPost } from '../domain/permissions.ts'
import { homeTimeline, publicTimeline } from '../reads/timelines.ts'
import { builder } from './builder.ts'
import { root } from './compiled.ts'
import { PostConnection } from './connections.ts'
import type { Connection } from './pages.ts'
import type { PublicationRow } from './refs.ts'

builder.queryFields((t) => ({
  homeTimeline: t.field({
    type: PostConnection,
    permission: readPost,
    args: t.arg.connectionArgs(),
    description: 'Posts of the viewer and of the accounts that the viewer follows, newest first.',
    ...root<Connection<PublicationRow>>(homeTimeline),
  }),
  publicTimeline: t.field({
    type: PostConnection,
    permission: readPost,
    args: t.arg.connectionArgs(),
    description: 'Posts of all users, newest first.',
    ...root<Connection<PublicationRow>>(publicTimeline),
  }),
}))
