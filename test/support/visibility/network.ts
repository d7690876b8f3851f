import { z } from 'zod'
import {
  blocks,
  bookmarks,
  follows,
  likes,
  mutes,
  type Relation,
  reposts,
} from '../../../src/features/base/relations.ts'
import { Random } from '../../../src/features/demo/random.ts'
import type { Answer, Person, TestApp } from '../app.ts'
import { moderator } from '../graphql/moderation.ts'
import { mutate } from '../graphql/mutate.ts'
import { outcomeOf } from '../graphql/outcomes.ts'
import { people } from '../graphql/publish.ts'
import { setRelation } from '../graphql/relations.ts'
import { type Audience, Facts, type Pairs, type Written } from './facts.ts'
import { Rule } from './rule.ts'

/** How large a network is. */
export type Size = { readonly people: number; readonly publications: number }

const audiences = ['USUAL', 'EVERYBODY', 'FOLLOWERS', 'FOLLOWERS', 'ADDRESSED', 'ADDRESSED'] as const
const widths = { EVERYBODY: 0, FOLLOWERS: 1, ADDRESSED: 2 } as const
/** A text, with its word, and the accounts and hashtags that it names. */
type Text = {
  readonly word: string
  readonly content: string
  readonly named: readonly string[]
  readonly tag: readonly string[]
}

const sent = z.object({ sendPost: z.object({ publication: z.object({ uuid: z.uuid(), audience: z.string() }) }) })

/** The words of texts: see `wordsIn`. */
const wordOf = (number: number) =>
  `zq${[3, 2, 1, 0].map((digit) => String.fromCharCode(97 + (Math.floor(number / 26 ** digit) % 26))).join('')}`

/** The words in a text that only one publication has. */
export const wordsIn = (text: string): string[] => text.match(/\bzq[a-z]{4}\b/g) ?? []

/** The hashtags of the network. Only publications that are not for everybody have the last one. */
export const tags = ['lake', 'pond', 'well'] as const

/** Accounts that write, follow and block one another at random through the API, and what they did. */
export class Network {
  readonly facts = new Facts()
  readonly rule = new Rule(this.facts)
  readonly app: TestApp
  members: readonly Person[]
  /** A moderator who follows and writes like the others, and is one of them. */
  readonly moderator: Person
  readonly #random: Random
  #words = 0

  constructor(app: TestApp, members: readonly Person[], moderator: Person, seed: number) {
    this.app = app
    this.moderator = moderator
    this.members = [...members, moderator]
    this.#random = new Random(seed)
  }

  /** A member at random, other than this one. */
  #other({ id }: Person): Person {
    return this.#random.pick(this.members.filter((member) => member.id !== id))
  }

  #ordinary(): Person {
    return this.#random.pick(this.members.filter((member) => member !== this.moderator))
  }

  #personOf(id: string): Person {
    const found = this.members.find((member) => member.id === id)
    if (!found) throw new Error(`Nobody has the id ${id}`)
    return found
  }

  #require(what: string, answer: Answer, isAllowed: boolean, refusal = 'NOT_FOUND'): boolean {
    const outcome = outcomeOf(answer)
    const isDone = outcome === 'DONE' || outcome.endsWith('ED')
    if (isDone && outcome !== 'VALIDATION_FAILED' ? !isAllowed : isAllowed || outcome !== refusal)
      throw new Error(`${what} ends with ${outcome}, but the rule ${isAllowed ? 'allows it' : 'does not allow it'}`)
    return isAllowed
  }

  /** Sets a relation to an account, or ends it. */
  async relate(from: Person, relation: Relation, to: Person, wanted = true): Promise<void> {
    const pairs: Pairs =
      { follow: this.facts.follows, block: this.facts.blocks, mute: this.facts.mutes }[relation.verb] ??
      this.facts.likes
    const isAllowed = relation !== follows || !wanted || !this.rule.isBlocked(from.id, to.id)
    const answer = await setRelation(this.app, from, relation, to.id, wanted)
    if (!this.#require(`${relation.verb} of ${to.username}`, answer, isAllowed, 'FORBIDDEN')) return
    const isAsked = relation === follows && this.facts.privates.has(to.id) && !pairs.has(from.id, to.id)
    if (wanted) (isAsked ? this.facts.requests : pairs).add(from.id, to.id)
    else for (const ended of relation === follows ? [pairs, this.facts.requests] : [pairs]) ended.delete(from.id, to.id)
    if (relation !== blocks) return
    for (const [one, other] of [
      [from.id, to.id],
      [to.id, from.id],
    ] as const)
      for (const ended of [this.facts.follows, this.facts.requests]) ended.delete(one, other)
  }

  /** Likes or bookmarks a publication. */
  async mark(from: Person, relation: typeof likes | typeof bookmarks, it: Written): Promise<void> {
    const reader = { id: from.id, moderates: false }
    const answer = await setRelation(this.app, from, relation, it.uuid)
    const pairs = relation === likes ? this.facts.likes : this.facts.bookmarks
    if (this.#require(`${relation.verb} of ${it.word}`, answer, this.rule.lists(reader, it)))
      pairs.add(from.id, it.uuid)
  }

  /** Reposts a publication, or takes that back. */
  async repost(from: Person, it: Written, wanted: boolean): Promise<void> {
    const { facts, rule } = this
    const isSeen = rule.lists({ id: from.id, moderates: false }, it)
    const answer = await setRelation(this.app, from, reposts, it.uuid, wanted)
    const isAllowed = isSeen && (!wanted || rule.isOpen(it))
    if (!this.#require(`a repost of ${it.word}`, answer, isAllowed, isSeen ? 'FORBIDDEN' : 'NOT_FOUND')) return
    if (facts.reposts.has(from.id, it.uuid) === wanted) return
    const others = facts.items.filter((item) => !(item.isRepost && item.by === from.id && item.it === it))
    facts.items = wanted ? [...others, { by: from.id, it, isRepost: true }] : others
    if (wanted) facts.reposts.add(from.id, it.uuid)
    else facts.reposts.delete(from.id, it.uuid)
  }

  /** Lets an author detach a quote. */
  async detach(it: Written): Promise<void> {
    const { quoted } = it
    if (!quoted || it.isDeleted || this.facts.suspended.has(quoted.author) || quoted.author === it.author) return
    const answer = await mutate(this.app, this.#personOf(quoted.author), 'detachQuote', { uuid: it.uuid }, '__typename')
    this.#require(`the detachment of ${it.word}`, answer, true)
    if (it.notified && it.mentions.includes(it.notified)) it.silent = it.notified
    it.quoted = undefined
    it.notified = undefined
  }

  #text(author: Person): Text {
    this.#words += 1
    const word = wordOf(this.#words)
    const named = Array.from({ length: this.#random.below(3) }, () => this.#other(author))
    const tag = this.#random.chance(0.5) ? [this.#random.pick(tags)] : []
    const content = [word, ...named.map(({ username }) => `@${username}`), ...tag.map((it) => `#${it}`)].join(' ')
    return { word, content, named: [...new Set(named.map(({ id }) => id))], tag }
  }

  /** Sends a post, or a reply; either may quote something. */
  async publish(author: Person, parent?: Written, asked?: Audience, quoted?: Written): Promise<void> {
    const text = this.#text(author)
    const usual = this.facts.privates.has(author.id) ? 'FOLLOWERS' : 'EVERYBODY'
    const inherited = parent && parent.audience !== 'EVERYBODY' ? parent.audience : usual
    const audience = asked ?? inherited
    const input = {
      content: text.content,
      warning: text.word,
      ...(asked && { audience: asked }),
      ...(parent && { parent: parent.uuid }),
      ...(quoted && { quote: quoted.uuid }),
      quotable: this.#random.chance(0.8),
    }
    const answer = await mutate(this.app, author, 'sendPost', input, 'publication { uuid audience }')
    const what = `a reply of ${author.username} to ${parent?.word} for ${asked}, which quotes ${quoted?.word}`
    const isFound = (it?: Written) => !it || this.rule.lists({ id: author.id, moderates: false }, it)
    const isWider = parent !== undefined && widths[audience] < widths[parent.audience]
    const isQuotable = !quoted || (this.rule.isOpen(quoted) && (quoted.quotable || quoted.author === author.id))
    const areFound = isFound(parent) && isFound(quoted)
    const refusal = !areFound ? 'NOT_FOUND' : isQuotable ? 'VALIDATION_FAILED' : 'FORBIDDEN'
    if (!this.#require(what, answer, areFound && isQuotable && !isWider, refusal)) return
    const { uuid } = sent.parse(answer.data).sendPost.publication
    const { quotable } = input
    const written = this.#written({ uuid, author: author.id, audience, parent, quoted, quotable, ...text })
    this.facts.written.push(written)
    if (!parent) this.facts.items = [...this.facts.items, { by: author.id, it: written, isRepost: false }]
  }

  #written(
    it: Text & Pick<Written, 'uuid' | 'author' | 'audience' | 'quoted' | 'quotable'> & { parent: Written | undefined },
  ): Written {
    const { uuid, author, audience, parent, quoted, quotable, word, named, tag } = it
    const isInherited = parent?.audience === audience
    const seesParent = (id: string) => !parent || this.rule.isFor(id, parent)
    const reached = named.filter((id) => seesParent(id) && !this.rule.isBlocked(id, author))
    const users = new Set([author, ...(parent ? [parent.author] : []), ...reached])
    const written: Written = {
      ...{
        uuid,
        author,
        audience,
        quoted,
        sentQuote: quoted,
        quotable,
        word,
        earlier: [],
        mentions: [],
        tags: audience === 'EVERYBODY' ? tag : [],
        isDeleted: false,
      },
      ...(parent && { parent }),
      get root(): Written {
        return parent?.root ?? written
      },
      ...(audience === 'FOLLOWERS' && { circle: isInherited ? (parent?.circle ?? author) : author }),
      ...(audience === 'ADDRESSED' && { addressees: (isInherited && parent?.addressees) || { of: uuid, users } }),
    }
    written.mentions = named.filter((id) => this.rule.mentions(id, written))
    // Who is addressed is mentioned, and notified of that.
    const isForNamed = written.addressees?.of === uuid
    if (quoted && !isForNamed && this.rule.isFor(quoted.author, written)) written.notified = quoted.author
    return written
  }

  /** Lets the author give a publication another text. */
  async edit(it: Written): Promise<void> {
    if (it.isDeleted || this.facts.suspended.has(it.author)) return
    const author = this.#personOf(it.author)
    const { word, content, named, tag } = this.#text(author)
    this.#require(
      `an edit of ${it.word}`,
      await mutate(this.app, author, 'updatePost', { uuid: it.uuid, content, warning: word }, '__typename'),
      true,
    )
    it.earlier = [...it.earlier, it.word]
    it.word = word
    it.mentions = named.filter((id) => this.rule.mentions(id, it))
    if (it.silent && !it.mentions.includes(it.silent)) it.silent = undefined
    it.tags = it.audience === 'EVERYBODY' ? tag : []
  }

  /** Lets the author delete a publication. */
  async remove(it: Written): Promise<void> {
    if (it.isDeleted || this.facts.suspended.has(it.author)) return
    const answer = await mutate(this.app, this.#personOf(it.author), 'deletePost', { uuid: it.uuid }, '__typename')
    this.#require(`the deletion of ${it.word}`, answer, true)
    it.isDeleted = true
    it.earlier = [...it.earlier, it.word]
  }

  /** Makes an account private, or opens it, which accepts all who asked to follow it. */
  async close(account: Person, isPrivate = true): Promise<void> {
    const { privates, requests, follows } = this.facts
    const answer = await mutate(this.app, account, 'updateProfile', { isPrivate }, '__typename')
    this.#require('a change of privacy', answer, true)
    if (isPrivate) privates.add(account.id)
    else privates.delete(account.id)
    if (isPrivate) return
    for (const requester of requests.to(account.id)) {
      requests.delete(requester, account.id)
      follows.add(requester, account.id)
    }
  }

  /** Lets an account accept or decline somebody who asked to follow it. */
  async answer(account: Person, requester: string, accepted: boolean): Promise<void> {
    const answer = await mutate(this.app, account, 'answerFollowRequest', { uuid: requester, accepted }, '__typename')
    this.#require('an answer', answer, this.facts.requests.has(requester, account.id))
    this.facts.requests.delete(requester, account.id)
    if (accepted) this.facts.follows.add(requester, account.id)
  }

  /** Lets an account remove a follower. */
  async removeFollower(account: Person, follower: string): Promise<void> {
    this.#require(
      'a removal',
      await mutate(this.app, account, 'removeFollower', { uuid: follower }, '__typename'),
      true,
    )
    this.facts.follows.delete(follower, account.id)
  }

  /** Lets a moderator suspend an account. */
  async suspend({ id }: Person): Promise<void> {
    const answer = await mutate(this.app, this.moderator, 'suspendUser', { uuid: id, reason: 'Spam' }, '__typename')
    this.#require('a suspension', answer, true)
    this.facts.suspended.add(id)
  }

  /** Lets somebody join who waits for approval, writes in vain, and whom others follow in vain. */
  async keepWaiting(): Promise<void> {
    const waiting = await this.app.person('applicant')
    await this.app.database.write.prisma.pendingAccount.create({ data: { id: waiting.id, reason: 'To weave' } })
    this.facts.suspended.add(waiting.id)
    const others = this.members.filter(({ id }) => !this.facts.suspended.has(id))
    this.members = [...this.members, waiting]
    for (const other of others)
      this.#require('a follow of who waits', await setRelation(this.app, other, follows, waiting.id, true), false)
    const writes = [
      await mutate(this.app, waiting, 'sendPost', { content: 'Here I am' }, '__typename'),
      await setRelation(this.app, waiting, follows, this.moderator.id, true),
    ]
    for (const answer of writes) this.#require('a write of who waits', answer, false, 'FORBIDDEN')
  }

  /** What members do at random, in the order in which most of it is seen by somebody who later may not see it. */
  async live({ publications }: Size): Promise<void> {
    const random = this.#random
    const { members, facts } = this
    for (const from of members)
      for (const to of members) if (from !== to && random.chance(0.35)) await this.relate(from, follows, to)
    const many = <T>(count: number, act: () => Promise<T>) =>
      Array.from({ length: count }).reduce<Promise<unknown>>((before) => before.then(act), Promise.resolve())
    const writer = () => random.pick(members.filter(({ id }) => !facts.suspended.has(id)))
    const publish = async () => {
      const author = writer()
      const seen = facts.written.filter((it) => this.rule.lists({ id: author.id, moderates: false }, it))
      const all = random.chance(0.85) ? seen : facts.written
      const audience = random.pick(audiences)
      const parent = all.length > 0 && random.chance(0.65) ? random.pick(all) : undefined
      const open = random.chance(0.8) ? all.filter((it) => this.rule.isOpen(it)) : all
      const quoted = open.length > 0 && random.chance(0.3) ? random.pick(open) : undefined
      await this.publish(author, parent, audience === 'USUAL' ? undefined : audience, quoted)
    }
    const mark = () => this.mark(writer(), random.pick([likes, bookmarks]), random.pick(facts.written))
    const repost = async () => {
      const from = writer()
      const seen = facts.written.filter(
        (it) => this.rule.isOpen(it) && this.rule.lists({ id: from.id, moderates: false }, it),
      )
      const all = seen.length > 0 && random.chance(0.9) ? seen : facts.written
      await this.repost(from, random.pick(all), random.chance(0.9))
    }
    const [few, some] = [Math.ceil(publications / 10), Math.ceil(publications / 2)]
    await many(some, publish)
    await many(2 * some, repost)
    await this.close(this.#ordinary())
    await this.close(this.#ordinary())
    await many(some, mark)
    await many(some, publish)
    await many(few, () => this.edit(random.pick(facts.written)))
    await many(some, mark)
    await many(some, repost)
    await many(few, () => this.detach(random.pick(facts.written)))
    await many(few, () => this.remove(random.pick(facts.written)))
    await many(few, async () => {
      const from = writer()
      await this.relate(from, follows, this.#other(from), false)
    })
    await many(2 * few, async () => {
      const from = writer()
      await this.relate(from, follows, this.#other(from))
    })
    const opened = members.find(({ id }) => facts.privates.has(id))
    if (opened && random.chance(0.5)) await this.close(opened, false)
    for (const account of members)
      for (const requester of facts.requests.to(account.id))
        if (random.chance(0.6)) await this.answer(account, requester, random.chance(0.6))
    const followed = random.pick(members)
    for (const follower of facts.follows.to(followed.id).slice(0, 1)) await this.removeFollower(followed, follower)
    for (const relation of [mutes, blocks, blocks, blocks]) {
      const from = this.#ordinary()
      const others = facts.written.filter(
        ({ author, isDeleted }) => author !== from.id && author !== this.moderator.id && !isDeleted,
      )
      if (others.length > 0) await this.relate(from, relation, this.#personOf(random.pick(others).author))
    }
    await this.close(this.#ordinary())
    const unblocked = members.filter(
      (it) => it !== this.moderator && !members.some(({ id }) => this.rule.isBlocked(id, it.id)),
    )
    if (unblocked.length > 0) await this.suspend(random.pick(unblocked))
    await this.keepWaiting()
    await many(few, publish)
    await many(few, repost)
    await many(few, () => this.edit(random.pick(facts.written)))
  }
}

/** Fills an empty database with a network. */
export async function randomNetwork(app: TestApp, size: Size, seed: number): Promise<Network> {
  const network = new Network(app, await people(app, size.people - 1), await moderator(app), seed)
  await network.live(size)
  return network
}
