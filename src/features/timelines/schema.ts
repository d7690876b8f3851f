import type { PageRead } from '../../engine/compiler/field-reads.ts'
import { sql } from '../../engine/compiler/sql.ts'
import { builder } from '../base/builder.ts'
import { byLanguage, languageArgs } from '../base/languages.ts'
import { numberedPageArgs } from '../base/pages.ts'
import { readPost } from '../base/permissions.ts'
import { isForEverybody, isPost } from '../posts/reads.ts'
import { PostConnection } from '../posts/schema.ts'
import { followsMany } from '../visibility/reader.ts'
import { firstOfFollowed, firstOfManyFollowed, posts, probingCost } from './followed.ts'

/** Everyone's posts for everybody, newest first. */
const publicTimeline: PageRead = {
  order: 'desc',
  place: 'timelines',
  where: (it) => sql`${isPost(it)} and ${isForEverybody(it)}`,
  ...byLanguage,
}

/** The posts of the accounts that the viewer follows, and the viewer's own, newest first. Whoever follows their authors sees them all. */
const homeTimeline: PageRead = {
  order: 'desc',
  startCost: probingCost,
  query: (window, rules) => sql`select p.* from (
    ${firstOfFollowed({ source: posts, window, limit: window.limit, rules })} select found.id from found
  ) home join live_publications p on p.id = home.id`,
  forms: {
    [followsMany]: {
      query: (window, rules) => sql`select p.* from (
        ${firstOfManyFollowed({ source: posts, window, limit: window.limit, rules })} select found.id from found
      ) home cross join lateral (select p.* from live_publications p where p.id = home.id limit 1) p`,
    },
  },
}

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
    args: { ...languageArgs(t.arg), ...numberedPageArgs(t.arg) },
    description: 'Posts of all users, newest first.',
    read: publicTimeline,
  }),
}))
