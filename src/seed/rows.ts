import { Crowd } from './crowd.ts'
import { personAt } from './people.ts'
import { postText, replyText, type Subject } from './posts-text.ts'
import { at, deal, distinct, Random } from './random.ts'
import { readersOf } from './readers.ts'
import { mostFollows, mostLikes, type SeedOptions } from './seed-options.ts'
import { themes } from './texts.ts'
import { layOutThreads } from './threads.ts'
import { Timeline } from './timeline.ts'

const adaFollows = 18
const badgeNames = ['Founder', 'Moderator', 'Supporter'] as const
const applicationSites = [
  { name: 'Magpie for Android', website: 'https://magpie.example.org/' },
  { name: 'Quill', website: 'https://quill.example.org/' },
  { name: 'Nestbox bot', website: null },
] as const

// A prime above the maximum number of posts: steps of it spread the liked posts evenly over time.
const likedStep = 7_368_787

/** A row by column, ready for JSON. */
export type Row = Readonly<Record<string, string | boolean | Date | null>>

/**
 * The rows of a network by table, each after the rows that it refers to. They are generated on demand, so that only a few numbers
 * are held for each.
 */
export function networkRows(options: SeedOptions) {
  const timeline = new Timeline(options)
  const crowd = new Crowd(options)
  const userIds = Array.from({ length: options.users }, (_, index) => timeline.user(index).id)
  const network = { options, timeline, crowd, userIds, threads: layOutThreads(options, crowd) }
  return {
    users: users(network),
    badges: badges(network),
    user_badges: userBadges(network),
    applications: applications(network),
    publications: publications(network),
    likes: likes(network),
    follows: follows(network),
  }
}

type Network = {
  readonly options: SeedOptions
  readonly timeline: Timeline
  readonly crowd: Crowd
  readonly threads: ReturnType<typeof layOutThreads>
  readonly userIds: readonly string[]
}

/** All users, ada first. They have no password. */
function* users({ options, timeline }: Network): Generator<Row> {
  const readers = new Map(readersOf(options).map((reader) => [reader.index, reader]))
  for (let index = 0; index < options.users; index++) {
    const { id, at: joined_at } = timeline.user(index)
    const { displayName: display_name, bio, ...person } = personAt(index, options.seed)
    const username = readers.get(index)?.username ?? person.username
    const email_verified = index === 0 || new Random(options.seed, 'verified', index).chance(0.8)
    yield { id, username, display_name, email: `${username}@example.org`, email_verified, bio, joined_at }
  }
}

function* badges({ timeline }: Network): Generator<Row> {
  for (const [index, name] of badgeNames.entries()) yield { id: timeline.early('badge', index).id, name }
}

/** The first three users are founders, two are moderators, one in twelve is a supporter. */
function* userBadges({ options, timeline, userIds }: Network): Generator<Row> {
  for (const [user, user_id] of userIds.entries()) {
    const isSupporter = new Random(options.seed, 'supporter', user).chance(1 / 12)
    for (const [index, isWorn] of [user < 3, user === 1 || user === 6, isSupporter].entries())
      if (isWorn) yield { user_id, badge_id: timeline.early('badge', index).id }
  }
}

/** Some of the first users own an application each. */
function* applications({ timeline, userIds }: Network): Generator<Row> {
  for (const [index, application] of applicationSites.entries()) {
    const { id, at: created_at } = timeline.early('application', index)
    yield { id, owner_id: at(userIds, Math.min(1 + 2 * index, userIds.length - 1)), ...application, created_at }
  }
}

/** All posts and replies, oldest first, so a parent comes before its replies. */
function* publications(network: Network): Generator<Row> {
  const { options, timeline, threads, userIds } = network
  for (let index = 0; index < options.posts; index++) {
    const { id, at: created_at } = timeline.publication(index)
    const parent = at(threads.parents, index)
    const random = new Random(options.seed, 'application', index)
    const application = random.chance(0.35) ? random.skewed(applicationSites.length, 1.5) : undefined
    yield {
      id,
      parent_id: parent < 0 ? null : timeline.publication(parent).id,
      author_id: at(userIds, at(threads.authors, index)),
      application_id: application === undefined ? null : timeline.early('application', application).id,
      content: textOf(network, index),
      locked: threads.locked[index] === 1,
      created_at,
    }
  }
}

function textOf({ options: { seed }, threads }: Network, index: number): string {
  const { authors, parents, places } = threads
  const root = at(threads.roots, index)
  const subject = subjectOf(root, at(authors, root), seed)
  const random = new Random(seed, 'text', index)
  if (root === index) return postText(subject, random)
  const isAuthor = at(authors, index) === at(authors, root)
  const kind = isAuthor ? 'author' : at(parents, index) === root ? 'first' : 'further'
  return replyText(subject, kind, at(places, index), random)
}

function subjectOf(root: number, author: number, seed: number): Subject {
  const random = new Random(seed, 'subject', root)
  const { interests } = personAt(author, seed)
  const topic = random.chance(0.85) ? random.pick(interests) : random.pick(themes).topic
  return { theme: random.pick(themes.filter((theme) => theme.topic === topic)), thread: random.bits() }
}

/** All likes: a few publications have many. Nobody likes their own. */
function* likes({ options, timeline, crowd, threads, userIds }: Network): Generator<Row> {
  const { posts, seed } = options
  const random = new Random(seed, 'likes', 0)
  const times = new Random(seed, 'like times', 0)
  const draw = () => (random.chance(0.7) ? (random.skewed(posts, 2) * likedStep) % posts : random.below(posts))
  for (const [index, count] of deal(options.likes, posts, mostLikes(options.users), draw).entries()) {
    const { id, at: publishedAt } = timeline.publication(index)
    for (const user of distinct(count, at(threads.authors, index), () => crowd.liker(random)))
      yield { id: timeline.idSince(publishedAt, times), publication_id: id, user_id: at(userIds, user) }
  }
}

/** All follows: a few users have many followers, some follow many. Ada follows the most popular. */
function* follows({ options, timeline, crowd, userIds }: Network): Generator<Row> {
  const { users, seed } = options
  const random = new Random(seed, 'follows', 0)
  const readers = new Map(readersOf(options).map((reader) => [reader.index, reader]))
  const adas = crowd.top(Math.min(adaFollows, users - 1, options.follows))
  const set = new Map([[0, adas.length], ...[...readers].map(([user, reader]) => [user, reader.follows] as const)])
  const left = options.follows - [...set.values()].reduce((sum, count) => sum + count, 0)
  const order = random.shuffled(users)
  const counts = deal(left, users, mostFollows(users), () => {
    for (;;) {
      const user = random.chance(0.6) ? at(order, random.skewed(users, 1.6)) : random.below(users)
      if (!set.has(user)) return user
    }
  })
  for (const [user, follower_id] of userIds.entries()) {
    const next = () => (readers.get(user)?.quiet ? crowd.quiet(random) : crowd.followee(random))
    for (const followee of user === 0 ? adas : distinct(set.get(user) ?? at(counts, user), user, next))
      yield { id: timeline.idSince(timeline.start, random), follower_id, followee_id: at(userIds, followee) }
  }
}
