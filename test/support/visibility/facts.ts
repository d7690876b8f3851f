/** Who a publication is for. */
export type Audience = 'EVERYBODY' | 'FOLLOWERS' | 'ADDRESSED'

/** A publication as its author sent it. */
export type Written = {
  readonly uuid: string
  readonly author: string
  readonly parent?: Written
  /** What it quotes until that is detached, and what it was sent with. */
  quoted: Written | undefined
  readonly sentQuote: Written | undefined
  /** The author of what it quotes, if they saw it when it was sent: they are notified of the quote, and of no mention. */
  notified?: string | undefined
  /** Whom it does not notify of their mention, because it quoted them before that was detached. */
  silent?: string | undefined
  readonly quotable: boolean
  readonly root: Written
  readonly audience: Audience
  /** Whose followers it is for. */
  readonly circle?: string
  /** For whom the conversation is that it belongs to, and the publication that began that. */
  readonly addressees?: { readonly of: string; readonly users: ReadonlySet<string> }
  /** A word that no other text has. Earlier ones are those that edits replaced. */
  word: string
  earlier: readonly string[]
  mentions: readonly string[]
  tags: readonly string[]
  isDeleted: boolean
}

/** What accounts have done, as whoever watched them would write it down. Pairs are of the one who did it, and of whom or what it leads to. */
export class Facts {
  readonly written: Written[] = []
  readonly privates = new Set<string>()
  readonly suspended = new Set<string>()
  readonly follows = new Pairs()
  readonly requests = new Pairs()
  readonly blocks = new Pairs()
  readonly mutes = new Pairs()
  readonly likes = new Pairs()
  readonly bookmarks = new Pairs()
  readonly reposts = new Pairs()
  /** What was posted or reposted, and by whom, in this order. */
  items: readonly Item[] = []
}

/** A post or a repost. */
export type Item = { readonly by: string; readonly it: Written; readonly isRepost: boolean }

/** Pairs of ids, in the order in which they were added. */
export class Pairs {
  readonly #pairs = new Map<string, readonly [string, string]>()

  add(from: string, to: string): void {
    if (!this.has(from, to)) this.#pairs.set(`${from} ${to}`, [from, to])
  }

  delete(from: string, to: string): void {
    this.#pairs.delete(`${from} ${to}`)
  }

  has(from: string, to: string): boolean {
    return this.#pairs.has(`${from} ${to}`)
  }

  /** What a row leads to, the latest first. */
  from(id: string): string[] {
    return [...this.#pairs.values()]
      .filter(([from]) => from === id)
      .map(([, to]) => to)
      .reverse()
  }

  /** From whom, the latest first. */
  to(id: string): string[] {
    return [...this.#pairs.values()]
      .filter(([, to]) => to === id)
      .map(([from]) => from)
      .reverse()
  }
}
