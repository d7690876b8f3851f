import type { Facts, Written } from './facts.ts'

/** Who reads. */
export type Reader = { readonly id: string; readonly moderates: boolean }

/** Who may see what, in the plainest words: the tests compare everything that the service shows with this. */
export class Rule {
  readonly #facts: Facts

  constructor(facts: Facts) {
    this.#facts = facts
  }

  /** Whether an account belongs to the audience of a publication. */
  isFor(id: string, { author, parent, audience, circle, addressees }: Written): boolean {
    const { privates, follows } = this.#facts
    if (audience === 'ADDRESSED') return addressees?.users.has(id) ?? false
    if (id === author || id === parent?.author) return true
    if (audience === 'EVERYBODY') return !privates.has(author) || follows.has(id, author)
    return circle !== undefined && (id === circle || follows.has(id, circle))
  }

  /** Whether a publication is for everybody, and may be reposted and quoted. */
  isOpen({ author, audience }: Written): boolean {
    return audience === 'EVERYBODY' && !this.#facts.privates.has(author)
  }

  /** Whether one of two accounts blocks the other. */
  isBlocked(one: string, other: string): boolean {
    return this.#facts.blocks.has(one, other) || this.#facts.blocks.has(other, one)
  }

  /** Whether lists have what an account publishes, apart from audiences. */
  isShown({ id, moderates }: Reader, account: string): boolean {
    return moderates || !(this.#facts.suspended.has(account) || this.isBlocked(id, account))
  }

  /** Whether lists have a publication. */
  lists(reader: Reader, it: Written): boolean {
    return !it.isDeleted && this.isFor(reader.id, it) && this.isShown(reader, it.author)
  }

  /** Whether a publication is found by its uuid: by moderators always, because reports name them. */
  finds(reader: Reader, it: Written): boolean {
    return this.lists(reader, it) || (reader.moderates && !it.isDeleted)
  }

  /** Whether timelines have a publication: not of those whom the reader mutes. */
  meets(reader: Reader, it: Written): boolean {
    return this.lists(reader, it) && (reader.moderates || !this.#facts.mutes.has(reader.id, it.author))
  }

  /** Whether timelines have what an account reposts. */
  meetsAccount(reader: Reader, account: string): boolean {
    return this.isShown(reader, account) && (reader.moderates || !this.#facts.mutes.has(reader.id, account))
  }

  /** Whether the lists of an account are open. */
  opens(reader: Reader, account: string): boolean {
    const { privates, follows } = this.#facts
    const isFollower = reader.id === account || !privates.has(account) || follows.has(reader.id, account)
    return isFollower && this.isShown(reader, account)
  }

  /** Whether the feed tells of a publication, also after it was deleted, or its author suspended. */
  tells(reader: Reader, it: Written): boolean {
    return this.isFor(reader.id, it) && (reader.moderates || !this.isBlocked(reader.id, it.author))
  }

  /** Whether an account may be mentioned in a publication. */
  mentions(id: string, it: Written): boolean {
    return this.isFor(id, it) && !this.isBlocked(id, it.author)
  }
}
