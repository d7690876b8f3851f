import { entitiesIn } from '../base/entities.ts'
import { usernameIn } from '../base/username.ts'
import { tokensIn } from '../base/words.ts'

/** What a text that is searched for asks of publications. */
type Search = {
  /** What has to match what `vectorOf` makes of them, as a `tsquery`; undefined for anything. */
  readonly query: string | undefined
  /** Parts of a `tsquery`, without positions or exclusions: all that matches meets each of them, which an index can find. */
  readonly near: readonly string[]
  /** The usernames that `query` has as `@name`. */
  readonly mentioned: readonly string[]
  /** The usernames of the author, which have to be of one account. */
  readonly from: readonly string[]
  readonly since: Date | undefined
  readonly until: Date | undefined
}

/** A condition, and what all that it holds for has in an index, if it says so. */
type Term = { readonly query: string; readonly near: readonly string[] }

/** The most words that an index is asked for. More of a long phrase only take time. */
const mostIndexed = 16

const quote = String.raw`[\p{Quotation_Mark}--['‘’‚‛＇]]`
const part = new RegExp(
  String.raw`(?<minus>[\-−－](?=[^\s\-]))?(?:${quote}(?<phrase>[^${quote}]*)${quote}|(?<word>\S+))`,
  'gv',
)
const filter = /^(?<name>from|since|until):(?<value>.+)$/iu
const date = /^[1-9]\d{3}-\d\d-\d\d$/

const lexeme = (word: string) => `'${word}'`
const joined = (queries: readonly string[], operator: string) =>
  queries.length > 1 ? `(${queries.join(` ${operator} `)})` : queries.join('')

const either = (one: Term, other: Term): Term => ({
  query: joined([one.query, other.query], '|'),
  near: [one, other].every(({ near }) => near.length > 0)
    ? [joined([joined(one.near, '&'), joined(other.near, '&')], '|')]
    : [],
})

const without = ({ query }: Term): Term => ({ query: `!${query}`, near: [] })

/** The words of a text, one beside the other; undefined if there are none. */
function phraseOf(text: string): Term | undefined {
  const near = tokensIn(text).map(lexeme)
  return near.length > 0 ? { query: joined(near, '<->'), near } : undefined
}

/** The hashtags and mentions of a text without spaces, and what stands around them; undefined if there is nothing. */
function termOf(text: string): Term | undefined {
  const characters = [...text]
  const { mentions = [], hashtags = [] } = entitiesIn(text) ?? {}
  const named = [
    ...mentions.map(({ username, ...range }) => ({ ...range, name: `@${username}` })),
    ...hashtags.map(({ name, ...range }) => ({ ...range, name: `#${name}` })),
  ].toSorted((a, b) => a.start - b.start)
  const gaps = [0, ...named.map(({ end }) => end)].map((end, index) => characters.slice(end, named[index]?.start))
  const words = gaps.flatMap((gap) => phraseOf(gap.join('')) ?? [])
  const terms = [...named.map(({ name }) => ({ query: lexeme(name), near: [lexeme(name)] })), ...words]
  const near = terms.flatMap((term) => term.near)
  return near.length > 0
    ? {
        query: joined(
          terms.map(({ query }) => query),
          '&',
        ),
        near,
      }
    : undefined
}

/** The condition that a word is, such as `from:ada`; undefined for any other word. */
function conditionOf(word: string): Partial<Pick<Search, 'from' | 'since' | 'until'>> | undefined {
  const { name = '', value = '' } = filter.exec(word)?.groups ?? {}
  const username = usernameIn(value)
  if (name.toLowerCase() === 'from') return username === undefined ? undefined : { from: [username] }
  const time = new Date(date.test(value) ? `${value}T00:00:00Z` : Number.NaN)
  return Number.isNaN(time.getTime()) ? undefined : { [name.toLowerCase()]: time }
}

/**
 * What a text asks for: words, "phrases", `-without`, `one OR other`, `#tag`, `@name`, `from:ada`, `since:2026-11-01` and
 * `until:2026-11-30`. What is none of these is words.
 */
export function searchIn(text: string): Search {
  const conditions: NonNullable<ReturnType<typeof conditionOf>>[] = []
  const terms: Term[] = []
  let isOther = false
  for (const { groups: { minus, phrase, word = '' } = {} } of text.matchAll(part)) {
    const condition = minus ? undefined : conditionOf(word)
    if (condition) conditions.push(condition)
    const found = condition ? undefined : phrase === undefined ? termOf(word) : phraseOf(phrase)
    const isOperator = word === 'OR' && !minus && terms.length > 0
    if (found && !isOperator) {
      const term = minus ? without(found) : found
      const one = isOther ? terms.pop() : undefined
      terms.push(one ? either(one, term) : term)
    }
    isOther = isOperator
  }
  const near = [...new Set(terms.flatMap((term) => term.near))].slice(0, mostIndexed)
  const query = terms.map((term) => term.query).join(' & ')
  return {
    query: query || undefined,
    near,
    mentioned: [...new Set(query.match(/(?<='@)\w+/g))],
    from: conditions.flatMap(({ from = [] }) => from),
    since: conditions.findLast(({ since }) => since)?.since,
    until: conditions.findLast(({ until }) => until)?.until,
  }
}
