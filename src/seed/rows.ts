import { Crowd } from './crowd.ts'
import { personAt } from './people.ts'
import { postText, replyText, type Subject, themes } from './posts-text.ts'
import { cell, DistinctDraws, deal, Random, streamOf } from './random.ts'
import { readersOf } from './readers.ts'
import { mostFollows, mostLikes, type SeedOptions } from './seed-options.ts'
import { layOutThreads, type Threads } from './threads.ts'
import { Timeline } from './timeline.ts'
import type { Topic } from './topics.ts'

const adaFollows = 18
const sentWithApplication = 0.35
const badgeNames = ['Founder', 'Moderator', 'Supporter'] as const
const applications = [
  { name: 'Magpie for Android', website: 'https://magpie.example.org/' },
  { name: 'Quill', website: 'https://quill.example.org/' },
  { name: 'Nestbox bot', website: null },
] as const

/** A row by column, ready for JSON. */
export type Row = Readonly<Record<string, string | boolean | Date | null>>

// A prime above the maximum number of posts: steps of it spread the liked posts evenly over time.
const likedStep = 7_368_787

/** The rows of a network. They are generated on demand, so that only a few numbers are held for each. */
export class NetworkRows {
  readonly #options: SeedOptions
  readonly #timeline: Timeline
  readonly #crowd: Crowd
  readonly #threads: Threads
  readonly #userIds: readonly string[]

  constructor(options: SeedOptions) {
    this.#options = options
    this.#timeline = new Timeline(options)
    this.#crowd = new Crowd(options)
    this.#threads = layOutThreads(options, this.#crowd)
    this.#userIds = Array.from({ length: options.users }, (_, index) => this.#timeline.user(index).id)
  }

  /** All users, ada first. They have no password. */
  *users(): Generator<Row> {
    const readers = new Map(readersOf(this.#options).map((reader) => [reader.index, reader]))
    for (let index = 0; index < this.#options.users; index++) {
      const { id, at } = this.#timeline.user(index)
      const person = personAt(index, this.#options.seed)
      const username = readers.get(index)?.username ?? person.username
      yield {
        id,
        username,
        display_name: person.displayName,
        email: `${username}@example.org`,
        email_verified: index === 0 || this.#random('verified', index).chance(0.8),
        bio: person.bio,
        joined_at: at,
      }
    }
  }

  /** All badges. */
  *badges(): Generator<Row> {
    for (const [index, name] of badgeNames.entries()) yield { id: this.#timeline.early('badge', index).id, name }
  }

  /** The badges of users: the first three are founders, two are moderators, one in twelve is a supporter. */
  *userBadges(): Generator<Row> {
    for (const [user, userId] of this.#userIds.entries()) {
      const worn = [user < 3, user === 1 || user === 6, this.#random('supporter', user).chance(1 / 12)]
      for (const [index, isWorn] of worn.entries())
        if (isWorn) yield { user_id: userId, badge_id: this.#timeline.early('badge', index).id }
    }
  }

  /** All applications, owned by some of the first users. */
  *applications(): Generator<Row> {
    for (const [index, application] of applications.entries()) {
      const { id, at } = this.#timeline.early('application', index)
      const owner = Math.min(1 + 2 * index, this.#options.users - 1)
      yield { id, owner_id: this.#userId(owner), ...application, created_at: at }
    }
  }

  /** All posts and replies, oldest first, so a parent comes before its replies. */
  *publications(): Generator<Row> {
    const { count, authors, parents, locked } = this.#threads
    for (let index = 0; index < count; index++) {
      const { id, at } = this.#timeline.publication(index)
      const parent = cell(parents, index)
      const random = this.#random('application', index)
      const application = random.chance(sentWithApplication) ? random.skewed(applications.length, 1.5) : undefined
      yield {
        id,
        parent_id: parent < 0 ? null : this.#timeline.publication(parent).id,
        author_id: this.#userId(cell(authors, index)),
        application_id: application === undefined ? null : this.#timeline.early('application', application).id,
        content: this.#text(index),
        locked: locked[index] === 1,
        created_at: at,
      }
    }
  }

  /** All likes: a few publications have many. Nobody likes their own. */
  *likes(): Generator<Row> {
    const { posts, users, likes } = this.#options
    const random = this.#random('likes')
    const times = this.#random('like times')
    const draw = () => (random.chance(0.7) ? (random.skewed(posts, 2) * likedStep) % posts : random.below(posts))
    const counts = deal(likes, posts, mostLikes(users), draw)
    const draws = new DistinctDraws(users)
    for (const [index, count] of counts.entries()) {
      if (count === 0) continue
      const { id, at } = this.#timeline.publication(index)
      const author = cell(this.#threads.authors, index)
      for (const user of draws.take(count, author, () => this.#crowd.liker(random)))
        yield { id: this.#timeline.likeId(at, times), publication_id: id, user_id: this.#userId(user) }
    }
  }

  /** All follows: a few users have many followers, some follow many. Ada follows the most popular. */
  *follows(): Generator<Row> {
    const { users, follows } = this.#options
    const random = this.#random('follows')
    const readers = readersOf(this.#options)
    const adas = this.#crowd.top(Math.min(adaFollows, users - 1, follows))
    const set = new Map([[0, adas.length], ...readers.map((reader) => [reader.index, reader.follows] as const)])
    const left = follows - [...set.values()].reduce((sum, count) => sum + count, 0)
    const order = random.shuffled(users)
    const counts = deal(left, users, mostFollows(users), () => {
      for (;;) {
        const user = random.chance(0.6) ? cell(order, random.skewed(users, 1.6)) : random.below(users)
        if (!set.has(user)) return user
      }
    })
    const quiet = new Set(readers.filter((reader) => reader.quiet).map(({ index }) => index))
    const draws = new DistinctDraws(users)
    for (let user = 0; user < users; user++) {
      const next = quiet.has(user) ? () => this.#crowd.quiet(random) : () => this.#crowd.followee(random)
      const followees = user === 0 ? adas : draws.take(set.get(user) ?? cell(counts, user), user, next)
      for (const followee of followees)
        yield {
          id: this.#timeline.followId(random),
          follower_id: this.#userId(user),
          followee_id: this.#userId(followee),
        }
    }
  }

  #text(index: number): string {
    const { authors, parents, roots, places } = this.#threads
    const root = cell(roots, index)
    const subject = this.#subject(root)
    const random = this.#random('text', index)
    if (root === index) return postText(subject, random)
    const isAuthor = cell(authors, index) === cell(authors, root)
    const kind = isAuthor ? 'author' : cell(parents, index) === root ? 'first' : 'further'
    return replyText(subject, kind, cell(places, index), random)
  }

  #subject(root: number): Subject {
    const random = this.#random('subject', root)
    const { interests } = personAt(cell(this.#threads.authors, root), this.#options.seed)
    const topic: Topic = random.chance(0.85) ? random.pick(interests) : random.pick(themes).topic
    return { theme: random.pick(themes.filter((theme) => theme.topic === topic)), thread: random.bits() }
  }

  #userId(index: number): string {
    const id = this.#userIds[index]
    if (id === undefined) throw new RangeError(`There is no user ${index}.`)
    return id
  }

  #random(stream: string, index = 0): Random {
    return new Random(this.#options.seed, streamOf(stream), index)
  }
}
