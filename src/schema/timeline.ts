import { homeTimeline, publicTimeline } from '../reads/timelines.ts'
import { builder } from './builder.ts'
import { root } from './composed.ts'
import { PostConnection } from './connections.ts'
import type { Connection } from './pages.ts'
import type { PublicationRow } from './refs.ts'

builder.queryFields((t) => ({
  homeTimeline: t.field({
    type: PostConnection,
    args: t.arg.connectionArgs(),
    description: "Posts of the accounts that the viewer follows, and the viewer's own, newest first.",
    ...root<Connection<PublicationRow>>(homeTimeline),
  }),
  publicTimeline: t.field({
    type: PostConnection,
    args: t.arg.connectionArgs(),
    description: "Everyone's posts, newest first.",
    ...root<Connection<PublicationRow>>(publicTimeline),
  }),
}))
