import { setTimeout as sleep } from 'node:timers/promises'
import { documentLimits } from '../../../../src/execution/limits.ts'
import { type Attack, graphql, repeat, type Target } from '../attack.ts'
import { flood, largestPermitted } from '../flood.ts'
import { sockets, textOf, write } from '../sockets.ts'

/** A document with a line so many times, in which 180 pages are too large. */
const invalidPages = (lines: number, line: string) =>
  `{ viewer { ${line.repeat(lines)} ${repeat(180, () => 'posts(first:101){totalCount}')} } }`

/** How many lines a document may have. */
const permittedLines = documentLimits.lines

/** As long as it may be in a document with as many lines as are permitted. */
const commentLine = `#${'x'.repeat(documentLimits.characters / permittedLines - 4)}\n`

/** A request for so many times 100 objects, each of which could fail, in a document of as many lines as are permitted. */
function manyNodes(times: number, { starId, token }: Target) {
  const aliases = repeat(times, (index) => `a${index}: nodes(ids: $ids) { id }`)
  const ids = Array.from({ length: 100 }, () => starId)
  return graphql(`query ($ids: [ID!]!) {${'\n'.repeat(permittedLines - 10)}${aliases}}`, token, { variables: { ids } })
}

/** A request for as many posts as it has fields, in a document of as many lines as are permitted. */
const manyPosts = (fields: number, { thread, token }: Target) =>
  graphql(
    `{${commentLine.repeat(permittedLines - 10)}${repeat(fields, (index) => `p${index}: post(uuid: "${thread}") { uuid }`)}}`,
    token,
  )

/** Attacks by requests with many errors. */
export const errorAttacks: readonly Attack[] = [
  {
    row: '-',
    name: 'unknown-fields',
    about: '4 connections send a variable with 900 unknown fields and a text of 240 KB, without a token',
    prepare: (target) => {
      const unknown = Object.fromEntries(Array.from({ length: 900 }, (_, at) => [at.toString(36), 1]))
      const input = { earlierToken: '\u0001'.repeat(40_000), ...unknown }
      const query = 'mutation ($input: SignInInput!) { signIn(input: $input) { token } }'
      return { strike: flood(target, 4, () => graphql(query, undefined, { variables: { input } })) }
    },
  },
  {
    row: '-',
    name: 'unknown-fragments',
    about: '490 connections send documents with 990 fragments that do not exist, without a token',
    prepare: (target) => {
      const request = graphql(`{ ${repeat(990, (index) => `...f${index}`)} }`)
      return { strike: flood(target, 490, () => request) }
    },
  },
  {
    row: '-',
    name: 'many-values',
    about: '40 connections send a variable with 87,000 empty arrays, without a token',
    prepare: (target) => {
      const variables = { list: Array<never[]>(87_000).fill([]) }
      return { strike: flood(target, 40, () => graphql('{ __typename }', undefined, { variables })) }
    },
  },
  {
    row: '-',
    name: 'many-lines',
    about: '16 connections send a document of 120,000 lines with 180 invalid arguments, without a token',
    prepare: (target) => ({ strike: flood(target, 16, () => graphql(invalidPages(120_000, '\n'))) }),
  },
  {
    row: '-',
    name: 'many-lines-permitted',
    about: 'the same with as many lines and characters as are permitted, each document different',
    prepare: (target) => ({
      strike: flood(target, 16, (nth) => graphql(`${invalidPages(permittedLines - 10, commentLine)}#${nth}`)),
    }),
  },
  {
    row: '-',
    name: 'many-nodes',
    about: '12 clients disconnect 20 ms after requesting as many objects by id as are permitted',
    prepare: async (target) => {
      const size = await largestPermitted(target, 50, (size) => manyNodes(size, target))
      const strike = sockets(target, 12, async (socket, _until, tally) => {
        await write(socket, textOf(manyNodes(size, target)))
        await sleep(20)
        tally.answered += 1
      })
      return { strike, note: `${size} × 100 objects` }
    },
  },
  {
    row: '-',
    name: 'many-failing-fields',
    about: '400 clients disconnect at the same time, while each waits for 50 posts',
    prepare: async (target) => {
      const size = await largestPermitted(target, 50, (fields) => manyPosts(fields, target))
      const text = textOf(manyPosts(size, target))
      let leave = performance.now()
      const strike = sockets(target, 400, async (socket, _until, tally) => {
        await write(socket, text)
        // All of them leave at the end of the same half second.
        const now = performance.now()
        if (leave < now) leave = now + 500
        await sleep(leave - now)
        tally.answered += 1
      })
      return { strike, note: `${size} fields` }
    },
  },
]
