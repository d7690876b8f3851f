import { entitiesIn, hashtagIn } from '../base/entities.ts'
import { vectorOf } from '../base/words.ts'
import { crowdOf, layOutThreads, timelineOf } from './network.ts'
import { at, deal, distinct, Random, scattered } from './random.ts'
import { limitsOf, type SeedOptions } from './seed-options.ts'
import { people, topics } from './texts.ts'
import { personAt, textOf } from './writing.ts'

/** A row by column, ready for JSON. */
export type Row = Readonly<Record<string, string | number | boolean | Date | null>>

function networkOf(options: SeedOptions) {
  const timeline = timelineOf(options)
  const crowd = crowdOf(options)
  const userIds = Array.from({ length: options.users }, (_, index) => timeline.user(index).id)
  return { ...options, timeline, crowd, threads: layOutThreads(options, crowd), userIds }
}

type Network = ReturnType<typeof networkOf>

/**
 * The rows of a network by table, each after the rows that it refers to. They are generated on demand, so that only a few numbers
 * are held for each.
 */
export function networkRows(options: SeedOptions) {
  const network = networkOf(options)
  const { timeline, userIds } = network
  return {
    users: users(network),
    badges: people.badges.map((name, index) => ({ id: timeline.badge(index).id, name })),
    user_badges: userBadges(network),
    // Some of the first users own an application each.
    applications: people.applications.map((application, index) => {
      const { id, time: created_at } = timeline.application(index)
      return { id, owner_id: at(userIds, Math.min(1 + 2 * index, userIds.length - 1)), ...application, created_at }
    }),
    publications: publications(network),
    hashtags: hashtags(),
    hashtag_uses: hashtagUses(network),
    likes: likes(network),
    follows: follows(network),
  } satisfies Record<string, Iterable<Row>>
}

/** All users, ada first. They have no password. */
function* users({ seed, timeline, userIds }: Network): Generator<Row> {
  for (const [index, id] of userIds.entries()) {
    const { displayName: display_name, bio, username } = personAt(index, seed)
    const email_verified = index === 0 || new Random(seed, 'verified', index).chance(0.8)
    const joined_at = timeline.user(index).time
    const name_tokens = vectorOf(display_name)
    const email = `${username}@example.org`.toLowerCase()
    yield { id, username, display_name, name_tokens, email, email_verified, bio, joined_at }
  }
}

/** The first three users are founders, two are moderators, one in twelve is a supporter. */
function* userBadges({ seed, timeline, userIds }: Network): Generator<Row> {
  for (const [user, user_id] of userIds.entries()) {
    const isSupporter = new Random(seed, 'supporter', user).chance(1 / 12)
    for (const [index, isWorn] of [user < 3, user === 1 || user === 6, isSupporter].entries())
      if (isWorn) yield { user_id, badge_id: timeline.badge(index).id }
  }
}

/** All posts and replies, oldest first, so a parent comes before its replies. */
function* publications({ seed, timeline, threads, userIds }: Network): Generator<Row> {
  const { authors, parents, roots } = threads
  const answered = new Set(parents)
  const replies = new Map<number, number>()
  for (const [index, author] of authors.entries()) {
    const { id, time: created_at } = timeline.publication(index)
    const [parent, root] = [at(parents, index), at(roots, index)]
    const random = new Random(seed, 'publication', index)
    const application = random.chance(0.35) ? random.below(people.applications.length, 1.5) : undefined
    const before = replies.get(root) ?? 0
    if (parent >= 0) replies.set(root, before + 1)
    const starter = at(authors, root)
    const other = parent === root || random.chance(0.5) ? 'reply' : 'followUp'
    const kind = parent < 0 ? 'post' : author === starter ? 'thanks' : other
    const content = textOf({ index, root, before }, kind, starter, seed)
    yield {
      id,
      parent_id: parent < 0 ? null : timeline.publication(parent).id,
      author_id: at(userIds, author),
      application_id: application === undefined ? null : timeline.application(application).id,
      content,
      tokens: vectorOf(content, entitiesIn(content)),
      locked: parent < 0 && !answered.has(index) && random.chance(0.03),
      created_at,
    }
  }
}

/** The hashtags that posts may have. */
function* hashtags(): Generator<Row> {
  for (const tag of new Set(topics.flatMap(({ tags }) => tags))) yield { ...hashtagIn(tag), publication_count: 0 }
}

/** Posts have at most one hashtag. */
function* hashtagUses(network: Network): Generator<Row> {
  for (const { id: publication_id = null, content } of publications(network))
    for (const { id: hashtag_id, start: range_start, end: range_end } of entitiesIn(String(content))?.hashtags ?? [])
      yield { publication_id, hashtag_id, range_start, range_end, is_first: true }
}

/** All likes: a few publications have many. Nobody likes their own. */
function* likes({ users, posts, likes, seed, timeline, crowd, threads, userIds }: Network): Generator<Row> {
  const random = new Random(seed, 'likes')
  const times = new Random(seed, 'like times')
  const draw = () => (random.chance(0.7) ? scattered(random.below(posts, 2), posts) : random.below(posts))
  for (const [index, count] of deal(likes, posts, limitsOf(users).likes, draw).entries()) {
    const { id: publication_id, time } = timeline.publication(index)
    for (const user of distinct(count, at(threads.authors, index), () => crowd.anyone(random, 1.4)))
      yield { id: timeline.idSince(times, time), publication_id, user_id: at(userIds, user) }
  }
}

/** All follows: a few users have many followers, some follow many. */
function* follows({ users, follows, seed, timeline, crowd, userIds }: Network): Generator<Row> {
  const random = new Random(seed, 'follows')
  const ofFirst = Math.min(18, users - 1, follows)
  const draw = (): number => {
    const user = random.chance(0.6) ? scattered(random.below(users, 1.6), users) : random.below(users)
    return user === 0 ? draw() : user
  }
  const counts = deal(follows - ofFirst, users, limitsOf(users).follows, draw)
  for (const [user, follower_id] of userIds.entries()) {
    for (const followee of distinct(user === 0 ? ofFirst : at(counts, user), user, () => crowd.anyone(random, 2.2)))
      yield { id: timeline.idSince(random), follower_id, followee_id: at(userIds, followee) }
  }
}
