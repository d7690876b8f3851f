/** How many accounts one account may follow. The cost of a home timeline grows with each of them. */
export const maxFollowing = 10_000

/** What accounts do to publications or to other accounts. Each row of its table is one, whose id is its place in lists, newest first. */
export type Edge = {
  /** What an account does; "un…" takes it back. The SQL function `set_…` does both. */
  readonly verb: string
  readonly table: string
  /** The columns of who did it and of what it was done to, without `_id`. */
  readonly from: string
  readonly to: string
  /** The columns with the number of its rows at each end, where it is counted. */
  readonly counts?: { readonly from?: string; readonly to?: string }
  /** Whether it may end by itself, at the time in its column `until`. */
  readonly mayEnd?: true
} & ({ readonly noun: 'publication' } | UserEdge)

type UserEdge = {
  readonly noun: 'user'
  /** How many an account may have. */
  readonly most: number
  /** Whether a block between both accounts ends it, and forbids new ones. */
  readonly isEndedByBlocks: boolean
}

export const likes: Edge = {
  verb: 'like',
  table: 'likes',
  from: 'user',
  to: 'publication',
  noun: 'publication',
  counts: { to: 'like_count' },
}

export const follows: Edge & UserEdge = {
  verb: 'follow',
  table: 'follows',
  from: 'follower',
  to: 'followee',
  noun: 'user',
  most: maxFollowing,
  isEndedByBlocks: true,
  counts: { from: 'following_count', to: 'follower_count' },
}

export const bookmarks: Edge = {
  verb: 'bookmark',
  table: 'bookmarks',
  from: 'user',
  to: 'publication',
  noun: 'publication',
}

export const blocks: Edge & UserEdge = {
  verb: 'block',
  table: 'blocks',
  from: 'blocker',
  to: 'blocked',
  noun: 'user',
  most: 10_000,
  isEndedByBlocks: false,
}

export const mutes: Edge & UserEdge = {
  verb: 'mute',
  table: 'mutes',
  from: 'muter',
  to: 'muted',
  noun: 'user',
  most: 10_000,
  isEndedByBlocks: false,
  mayEnd: true,
}

/** All edges. What is the same for each of them follows from this list: deletion, counters, and tests. */
export const edges: readonly Edge[] = [likes, follows, bookmarks, blocks, mutes]

/** The edges that lead to this. */
export const edgesTo = (noun: Edge['noun']): readonly Edge[] => edges.filter((edge) => edge.noun === noun)

/** The counters of edges in a row `it` of this kind, each with the SQL that counts its rows. */
export function countersIn(noun: Edge['noun']) {
  return edges.flatMap(({ table, from, to, counts, noun: object }) => {
    const ends = [[counts?.to, to, object] as const, [counts?.from, from, 'user'] as const]
    return ends.flatMap(([counter, end, kind]) =>
      counter && kind === noun ? { counter, count: `(select count(*) from ${table} e where e.${end}_id = it.id)` } : [],
    )
  })
}

/** The forms of the verb of an edge, and of the one that takes it back. */
export function wordsOf({ verb }: Pick<Edge, 'verb'>) {
  const formsOf = (infinitive: string) => {
    const stem = infinitive.replace(/e$/, '')
    return { infinitive, does: `${infinitive}s`, doing: `${stem}ing`, done: `${stem}ed` }
  }
  return { on: formsOf(verb), off: formsOf(`un${verb}`) }
}

export const capitalized = (word: string) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`
