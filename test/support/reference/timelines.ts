import { follows, mutes, type Relation, reposts } from '../../../src/features/base/relations.ts'
import { shownReposters } from '../../../src/features/timelines/items.ts'
import { type Args, byId, type Context, type Resolvers } from './lookups.ts'
import { pageOfGroups, timeOf } from './pages.ts'
import type { Rows } from './rows.ts'

type Shown = { readonly id: string; readonly by: string; readonly publicationId: string; readonly repostedAt?: Date }
type Item = Shown & { readonly events: readonly Shown[] }

const isMade = (relation: Relation, maker: string, object: string, { relations }: Rows) =>
  relations.get(relation)?.some(({ from, to }) => from === maker && to === object) ?? false

/** Whether the viewer's timelines have what an account publishes. */
export const isHeard = (author: string, { rows, viewer }: Context): boolean =>
  viewer.isModerator || !isMade(mutes, viewer.id, author, rows)

/** Whether the viewer's home timeline has what an account publishes. */
export const isOfHome = (author: string, { rows, viewer }: Context): boolean =>
  author === viewer.id || isMade(follows, viewer.id, author, rows)

/** Posts and reposts of such accounts, newest first. */
function shownBy({ rows }: Context, isBy: (account: string) => boolean): Shown[] {
  const posts = rows.members.flatMap(({ id, parentId, deletedAt, authorId, audience }): Shown[] =>
    parentId || deletedAt || !authorId || audience === 'ADDRESSED' ? [] : [{ id, by: authorId, publicationId: id }],
  )
  const made = (rows.relations.get(reposts) ?? []).map(
    ({ id, from, to }): Shown => ({ id, by: from, publicationId: to, repostedAt: timeOf(id) }),
  )
  return [...posts, ...made].filter(({ by }) => isBy(by)).toSorted((a, b) => (a.id < b.id ? 1 : -1))
}

function itemsOf(shown: readonly Shown[]): Item[] {
  const groups = new Map<string, Shown[]>()
  for (const each of shown) groups.set(each.publicationId, [...(groups.get(each.publicationId) ?? []), each])
  return [...groups.values()].flatMap((events) => events.slice(0, 1).map((latest) => ({ ...latest, events })))
}

/** A page of what such accounts post and repost, as far as the viewer sees it. */
function pageOfItems(
  context: Context,
  args: Args,
  isBy: (account: string) => boolean,
  isShown: (author: string) => boolean,
) {
  const reach = Math.min((args.first ?? 20) * 2 + 2, 200)
  const isSeen = ({ publicationId }: Shown) => {
    const found = byId(context.rows.publications, publicationId)
    return found !== null && isShown(found.authorId)
  }
  return pageOfGroups(shownBy(context, isBy), isSeen, itemsOf, reach, args)
}

/** The viewer's home timeline with reposts. */
export function homeOf(context: Context, args: Args) {
  const isBy = (account: string) =>
    isOfHome(account, context) && isHeard(account, context) && !context.hidden.has(account)
  return pageOfItems(context, args, isBy, (author) => isHeard(author, context))
}

/** The timeline of an account. */
export const timelineBy = (id: string, context: Context, args: Args) =>
  pageOfItems(
    context,
    args,
    (account) => account === id && !context.hidden.has(id),
    () => true,
  )

const repostsOf = ({ events }: Item) => events.filter(({ repostedAt }) => repostedAt)

/** The fields of an item. */
export const timelineItem: Resolvers<Item> = {
  publication: ({ publicationId }, _args, { rows }) => byId(rows.publications, publicationId),
  repostedBy: (item, _args, { rows }) =>
    repostsOf(item)
      .slice(0, shownReposters)
      .map(({ by }) => byId(rows.users, by)),
  reposterCount: (item) => repostsOf(item).length,
  at: ({ events, publicationId }, _args, { rows }) => {
    const times = events.flatMap(
      ({ repostedAt }) => repostedAt ?? byId(rows.publications, publicationId)?.createdAt ?? [],
    )
    return new Date(Math.max(...times.map(Number)))
  },
}
