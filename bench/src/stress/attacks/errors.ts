import { type Attack, graphql, repeat } from '../attack.ts'
import { flood } from '../flood.ts'

/** A document with a line so many times, in which 180 pages are too large. */
const invalidPages = (lines: number, line: string) =>
  `{ viewer { ${line.repeat(lines)} ${repeat(180, () => 'posts(first:101){totalCount}')} } }`

/** How many lines a document may have. */
const permittedLines = 4_000

/** Attacks by requests with many errors, without a token. */
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
    about: 'the same with as many lines as are permitted, 240 KB long, each document another one',
    prepare: (target) => {
      const comment = `#${'x'.repeat(56)}\n`
      return { strike: flood(target, 16, (nth) => graphql(`${invalidPages(permittedLines - 10, comment)}#${nth}`)) }
    },
  },
]
