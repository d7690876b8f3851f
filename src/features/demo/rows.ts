import { v7 } from 'uuid'
import { day } from '../../engine/day.ts'
import { entitiesIn, hashtagIn } from '../base/entities.ts'
import { vectorOf } from '../base/words.ts'
import { at, deal, distinct, Random, scattered } from './random.ts'
import { limitsOf, type SeedOptions } from './seed-options.ts'
import { people, personAt, textOf, topics } from './writing.ts'

const joiningDays = 300
const daysOf = (posts: number) => Math.min(365, 20 + posts / 40)

/** The times of all rows: first all users join, one after the other, then they publish, until now. */
function timelineOf({ users, posts, seed, now: until }: SeedOptions) {
  const now = until.getTime()
  const start = now - daysOf(posts) * day
  // Steps of equal length, each with its time in the first part, so that a later index has a later time.
  const steps = (kind: string, count: number, from: number, to: number) => (index: number) => {
    const random = new Random(seed, kind, index)
    const time = Math.floor(from + ((to - from) * (index + random.fraction() * 0.8)) / count)
    return { id: v7({ msecs: time, seq: index, random: random.bytes() }), time: new Date(time) }
  }
  return {
    user: steps('user', users, start - joiningDays * day, start - day),
    badge: steps('badge', 100, start - day, start),
    application: steps('application', 100, start - day, start),
    publication: steps('publication', posts, start, now),
    /** An id at a random time since another, or since the first publication. */
    idSince: (random: Random, time = new Date(start)) => {
      const msecs = Math.floor(time.getTime() + random.fraction() * (now - time.getTime()))
      return v7({ msecs, random: random.bytes() })
    },
  }
}

/** Who does what: users are numbers from 0. As in real networks, few users do most. */
function crowdOf({ users }: Pick<SeedOptions, 'users'>) {
  // The fifth is ada, who is user 0.
  const ranked = (random: Random, power: number) => scattered(random.below(users, power) + 4 * (users - 1), users)
  return {
    /** Draws an author. */
    author: (random: Random) => ranked(random, 1.6),
    /** Draws a user to follow, or one who likes something; a greater power prefers the popular ones. */
    anyone: (random: Random, power: number) => (random.chance(0.55) ? ranked(random, power) : random.below(users)),
  }
}

/**
 * The authors, parents (or -1) and first posts of all publications, which are numbers from 0, oldest first. Most threads are small and
 * last for about a day. In three of seven periods, one is wide, with a thirtieth of all publications directly below its first.
 */
function layOutThreads({ posts, seed }: SeedOptions, crowd: ReturnType<typeof crowdOf>) {
  const random = new Random(seed, 'threads')
  const [authors, parents, roots] = [new Int32Array(posts), new Int32Array(posts), new Int32Array(posts)]
  const reach = Math.max(10, posts / daysOf(posts) / 2)
  const wide = new Map<number, number>()
  for (let index = 0; index < posts; index++) {
    const period = Math.floor((index * 7) / posts)
    if (!wide.has(period)) wide.set(period, index > 0 ? at(roots, index - 1) : 0)
    const recent = Math.max(0, index - 1 - Math.floor(-Math.log(1 - random.fraction()) * reach))
    let post = recent
    while (post > 0 && at(parents, post) >= 0) post -= 1
    // The newest publications are mostly replies, so that the first page of a timeline has some.
    const isReply = index > 0 && random.chance(index < posts - 30 ? 0.4 : 0.9)
    const inWide = period % 2 === 1 && random.chance(0.5) ? wide.get(period) : undefined
    const parent = isReply ? (inWide ?? (random.chance(0.7) ? post : recent)) : -1
    const root = isReply ? at(roots, parent) : index
    // Whoever started a thread often answers.
    const returns = isReply && authors[parent] !== authors[root] && random.chance(0.4)
    authors[index] = returns ? at(authors, root) : crowd.author(random)
    parents[index] = parent
    roots[index] = root
  }
  return { authors, parents, roots }
}

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
    yield { id, username, display_name, name_tokens, email, email_verified, bio, language: 'en', joined_at }
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
      language: 'en',
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
      yield { publication_id, hashtag_id, range_start, range_end, is_listed: true }
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
