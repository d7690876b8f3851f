import { shownReposters } from '../../../src/features/timelines/items.ts'
import type { Item, Written } from './facts.ts'
import { type Network, tags } from './network.ts'
import type { Reader } from './rule.ts'

/** A list as the rule has it: the field, the object that has it, and what is there for a reader; undefined for null. */
export type List = {
  readonly field: string
  readonly owner?: string
  readonly args?: string
  readonly isForwardOnly?: true
  readonly shown: readonly Shown[] | undefined
}

/** An object of a list; of timelines, the publication of an item with those who reposted it. */
export type Shown = { readonly uuid: string; readonly by?: readonly string[]; readonly reposterCount?: number }

/** Posts and reposts, the latest first: those of one publication are one item. */
function grouped(items: readonly Item[]): Shown[] {
  const found = new Map<Written, string[]>()
  for (const { by, it, isRepost } of items.toReversed())
    found.set(it, [...(found.get(it) ?? []), ...(isRepost ? [by] : [])])
  return [...found].map(([{ uuid }, by]) => ({ uuid, by: by.slice(0, shownReposters), reposterCount: by.length }))
}

const newestFirst = (items: readonly Written[]) => items.toSorted((a, b) => (a.uuid < b.uuid ? 1 : -1))

/** The lists of a reader. */
export function listsFor({ facts, rule, members }: Network, reader: Reader): List[] {
  const { follows, requests, likes, bookmarks, reposts } = facts
  const { id } = reader
  const all = newestFirst(facts.written)
  const listed = all.filter((it) => rule.lists(reader, it))
  const met = all.filter((it) => rule.meets(reader, it))
  const inProfiles = listed.filter(({ audience }) => audience !== 'ADDRESSED')
  const isHome = ({ author, parent, audience }: Written) => !parent && audience !== 'ADDRESSED' && isOfHome(author)
  const isPublic = ({ audience }: Written) => audience === 'EVERYBODY'
  const markedBy = (account: string, pairs: typeof likes) =>
    pairs.from(account).flatMap((uuid) => listed.filter((it) => it.uuid === uuid))
  const marked = (pairs: typeof likes) => markedBy(id, pairs)
  const isOfHome = (account: string) => account === id || follows.has(id, account)
  const isOfTimeline = ({ it: { parent, audience }, isRepost }: Item) =>
    isRepost || (!parent && audience !== 'ADDRESSED')
  const home = facts.items.filter(
    (item) =>
      isOfTimeline(item) && isOfHome(item.by) && rule.meetsAccount(reader, item.by) && rule.meets(reader, item.it),
  )
  const timelineOf = (account: string) =>
    rule.opens(reader, account)
      ? facts.items.filter((item) => item.by === account && isOfTimeline(item) && rule.lists(reader, item.it))
      : []
  const asking = (ids: readonly string[]) =>
    ids.filter((account) => rule.isShown(reader, account)).map((uuid) => ({ uuid }))
  const profiles = members
    .filter((account) => reader.moderates || !facts.suspended.has(account.id))
    .flatMap((account): List[] => {
      const of = rule.opens(reader, account.id) ? inProfiles.filter(({ author }) => author === account.id) : []
      const owner = `user(by: { uuid: "${account.id}" })`
      return [
        { owner, field: 'posts', shown: of.filter(({ parent }) => !parent) },
        { owner, field: 'replies', shown: of.filter(({ parent }) => parent) },
        {
          owner,
          field: 'addressed',
          shown: account.id === id ? listed.filter(({ uuid, addressees }) => addressees?.of === uuid) : undefined,
        },
        { owner, field: 'timeline', shown: grouped(timelineOf(account.id)) },
        { owner, field: 'reposts', shown: rule.opens(reader, account.id) ? markedBy(account.id, reposts) : [] },
        { owner, field: 'likes', shown: account.id === id ? marked(likes) : undefined },
        { owner, field: 'followRequests', shown: account.id === id ? asking(requests.to(id)) : undefined },
        { owner, field: 'sentFollowRequests', shown: account.id === id ? asking(requests.from(id)) : undefined },
        { owner, field: 'bookmarks', shown: account.id === id ? marked(bookmarks) : undefined },
      ]
    })
  const replies = all
    .filter((it) => rule.finds(reader, it))
    .flatMap((it): List[] => {
      const owner = `post(uuid: "${it.uuid}")`
      // What moderators only find by its uuid shows them no lists.
      const [all, accounts] = listed.includes(it) ? [listed, reposts.to(it.uuid)] : [[], []]
      return [
        { owner, field: 'replies', shown: all.filter(({ parent }) => parent === it).toReversed() },
        { owner, field: 'quotes', shown: all.filter(({ quoted }) => quoted === it) },
        { owner, field: 'reposters', shown: asking(accounts) },
      ]
    })
  const hashtags = tags
    .filter((tag) => facts.written.some((it) => !it.isDeleted && it.tags.includes(tag)))
    .map(
      (tag): List => ({
        owner: `hashtag(name: "${tag}")`,
        field: 'publications',
        shown: met.filter((it) => it.tags.includes(tag)),
      }),
    )
  const searches = all.map(
    ({ uuid, word }): List => ({
      field: 'searchPublications',
      args: `text: "${word}", `,
      isForwardOnly: true,
      shown: met.filter((it) => it.uuid === uuid),
    }),
  )
  return [
    { field: 'homeTimeline', shown: met.filter(isHome) },
    { field: 'home', shown: grouped(home) },
    { field: 'publicTimeline', shown: met.filter((it) => !it.parent && isPublic(it)) },
    ...[...profiles, ...replies, ...hashtags, ...searches],
  ]
}

/**
 * What a publication says of others to a reader: how many replies, quotes and reposts it has, what it quotes, whom it mentions, and what
 * it replies to, the post first.
 */
export function aroundOf({ facts, rule }: Network, reader: Reader, it: Written): unknown[] {
  const isCounted = (reply: Written) => reply.parent === it && !reply.isDeleted && reply.audience === it.audience
  const isQuote = ({ quoted, isDeleted, audience }: Written) => quoted === it && !isDeleted && audience === 'EVERYBODY'
  const line: Written[] = []
  for (let { parent } = it; parent; parent = parent.parent) line.unshift(parent)
  return [
    facts.written.filter(isCounted).length,
    facts.written.filter(isQuote).length,
    facts.reposts.to(it.uuid).length,
    it.quoted?.uuid ?? null,
    it.quoted && rule.finds(reader, it.quoted) ? it.quoted.uuid : null,
    it.mentions.filter((account) => reader.moderates || rule.isShown(reader, account)).toSorted(),
    line.map((above) => (rule.lists(reader, above) ? above.uuid : null)),
  ]
}

/** What somebody is told of others' likes, mentions and replies: each in one line. */
export function noticesFor({ facts, rule }: Network, { id }: Reader): string[] {
  const hears = (account: string) =>
    account !== id && !facts.mutes.has(id, account) && rule.isShown({ id, moderates: false }, account)
  const live = facts.written.filter((it) => !it.isDeleted)
  const told = live.filter((it) => hears(it.author) && rule.isFor(id, it))
  return [
    ...live
      .filter(({ author, uuid }) => author === id && facts.likes.to(uuid).some(hears))
      .map(({ word }) => `LIKE ${word}`),
    ...live
      .filter(({ author, uuid }) => author === id && facts.reposts.to(uuid).some(hears))
      .map(({ word }) => `REPOST ${word}`),
    ...told.filter(({ parent }) => parent?.author === id).map(({ word }) => `REPLY ${word}`),
    ...told
      .filter(({ parent, notified }) => parent?.author !== id && notified === id)
      .map(({ word }) => `QUOTE ${word}`),
    ...told
      .filter(
        ({ parent, notified, mentions, silent }) =>
          ![parent?.author, notified, silent].includes(id) && mentions.includes(id),
      )
      .map(({ word }) => `MENTION ${word}`),
  ]
}
