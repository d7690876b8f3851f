import {
  type GraphQLField,
  type GraphQLObjectType,
  getNamedType,
  getNullableType,
  isCompositeType,
  isListType,
  isObjectType,
  isRequiredArgument,
} from 'graphql'
import { maxScan } from '../../../src/engine/compiler/limits.ts'
import { maxFollowing } from '../../../src/features/base/relations.ts'
import { rest } from '../../../src/server/rest.ts'
import { schema } from '../../../src/server/schema.ts'
import type { Measured } from '../database/rows-read.ts'
import type { Crowd } from '../networks/hidden-crowd.ts'

type Field = GraphQLField<unknown, unknown>

/** A document to measure, and how many rows of a table it may look at. */
export type Case = Measured & { readonly name: string; readonly most: number }

/** Fields of `Query` without a statement to explain. */
const exempt: Readonly<Record<string, string>> = {
  node: 'finds an object by its primary key',
  nodes: 'finds at most 100 objects by their primary keys',
  rateLimit: 'reads no table',
  errorKinds: 'reads no table',
  server: 'reads no table but for estimates, which are kept',
  accountLimits: 'reads no table',
}

/**
 * How many rows of a table a field may look at. A page that is not full walks once more, to where it ended, and a search of users
 * walks over three lists.
 */
const mostRows = 2.6 * maxScan

/** Home timelines look at each account that the viewer follows, and have the price of the most. */
const mostOf = (source: string) => (/\bhome(?:Timeline)?\(/.test(source) ? 2 * maxFollowing : mostRows)

/** How often each field is selected, and how many objects of its type a list has. */
const aliases = 3
const many = 5

const listOf = (item: string) => `[${Array(many).fill(item).join()}]`
const nodesOf = (field: string, args = `first: ${many}`) => [
  (fields: string) => `${field}(${args}) { nodes { ${fields} } }`,
]

/** Where objects of each type are found: one, and several at once. */
const placesOf = ({
  star,
  root,
  own,
  reply,
}: Crowd): Readonly<Record<string, readonly ((fields: string) => string)[]>> => {
  const user = `{ username: "${star.username}" }`
  const post = (uuid: string) => (fields: string) => `post(uuid: "${uuid}") { ... on Post { ${fields} } }`
  const posts = (fields: string) => `publications(uuids: ${listOf(`"${root}"`)}) { ... on Post { ${fields} } }`
  const users = (fields: string) => `users(by: ${listOf(user)}) { ${fields} }`
  return {
    Query: [(fields) => fields],
    User: [(fields) => `viewer { ${fields} }`, (fields) => `user(by: ${user}) { ${fields} }`, users],
    Post: [post(root), post(own), posts],
    Reply: [(fields) => `reply(uuid: "${reply}") { ${fields} }`],
    Hashtag: [(fields) => `hashtag(name: "loud") { ${fields} }`],
    HashtagUse: [(fields) => posts(`hashtags { ${fields} }`)],
    Mention: [(fields) => posts(`mentions { ${fields} }`)],
    Badge: [(fields) => users(`badges { ${fields} }`)],
    Application: nodesOf('applications'),
    AccessToken: nodesOf('accessTokens'),
    Authorization: nodesOf('authorizations'),
    SecondFactor: [(fields) => `secondFactor { ${fields} }`],
    Report: nodesOf('reports'),
    Appeal: nodesOf('appeals'),
    PendingAccount: nodesOf('pendingAccounts'),
    Invitation: nodesOf('allInvitations'),
    ModerationAct: nodesOf('moderationLog'),
    Notification: [(fields) => `viewer { notifications(first: ${many}) { nodes { ${fields} } } }`],
    TimelineItem: [
      (fields) => `home(first: ${many}) { nodes { ${fields} } }`,
      (fields) => users(`timeline(first: ${many}) { nodes { ${fields} } }`),
    ],
    Change: nodesOf('changes', `of: { public: true }, after: null, first: ${many}`),
    ThreadPlace: [(fields) => `post(uuid: "${root}") { thread(first: ${many}) { places { ${fields} } } }`],
  }
}

/** Values of arguments and variables that are required. */
const valuesOf = ({ star, root, change }: Crowd): Readonly<Record<string, string>> => ({
  uuid: `"${root}"`,
  uuids: listOf(`"${root}"`),
  by: `{ username: "${star.username}" }`,
  name: '"loud"',
  text: '"loud"',
  of: `{ public: true, notifications: true, home: true }, after: "${change}"`,
})

const pages = ['first: 1', 'last: 1', 'first: 1, offset: 100']

function selectionOf({ type }: Field): string {
  const named = getNamedType(type)
  if (!isCompositeType(named)) return ''
  if (!named.name.endsWith('Connection')) return '{ __typename }'
  return '{ nodes { __typename } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } totalCount }'
}

/** The ways to select a field: with the arguments that it requires, and those of pages. */
function callsOf(field: Field, values: Readonly<Record<string, string>>): string[] {
  const required = field.args.filter(isRequiredArgument).map(({ name, type }) => {
    const value = values[name]
    if (value === undefined)
      throw new TypeError(`test/support/schema/every-field.ts lacks a value of ${field.name}(${name})`)
    return `${name}: ${isListType(getNullableType(type)) && !value.startsWith('[') ? listOf(value) : value}`
  })
  const has = (page: string) =>
    [...page.matchAll(/\w+(?=:)/g)].every(([name]) => field.args.some((it) => it.name === name))
  const variants = pages.filter(has)
  return (variants.length > 0 ? variants : ['']).map((page) => {
    const args = [...required, page].filter(Boolean).join(', ')
    return `${field.name}${args && `(${args})`} ${selectionOf(field)}`
  })
}

/** The types of which statements read objects. */
const types = Object.values(schema.getTypeMap())
  .filter((type) => isObjectType(type))
  .filter(({ name, extensions }) => name === 'Query' || extensions.pothosPrismaModel !== undefined)

const isPaged = ({ type }: Field) => getNamedType(type).name.endsWith('Connection')

const asAliases = (calls: readonly string[]) =>
  calls.flatMap((call, index) => Array.from({ length: aliases }, (_, copy) => `f${index}_${copy}: ${call}`)).join(' ')

/** Selections of each field of a type: each list, and each root field, apart, and all others together. */
function selectionsOf(type: GraphQLObjectType, values: Readonly<Record<string, string>>) {
  const fields = Object.values(type.getFields()).filter(({ name }) => type.name !== 'Query' || !(name in exempt))
  const isApart = (field: Field) => type.name === 'Query' || isPaged(field)
  const lists = fields.filter(isApart).flatMap((field) =>
    callsOf(field, values).map((call) => ({
      name: `${type.name}.${call.replace(/ \{.*/, '')}`,
      fields: asAliases([call]),
    })),
  )
  const others = fields.filter((field) => !isApart(field)).flatMap((field) => callsOf(field, values))
  return others.length > 0 ? [...lists, { name: type.name, fields: asAliases(others) }] : lists
}

/** Every field of the schema, selected several times. Throws for a type or an argument that it does not know. */
export function fieldsIn(crowd: Crowd): Case[] {
  const [places, values] = [placesOf(crowd), valuesOf(crowd)]
  return types.flatMap((type) => {
    const found = places[type.name]
    if (!found) throw new TypeError(`test/support/schema/every-field.ts does not find a ${type.name}`)
    return found.flatMap((place, index) =>
      selectionsOf(type, values).map(({ name, fields }) => {
        const source = `{ ${place(fields)} }`
        const most = aliases * mostOf(source)
        return { name: `${name}, place ${index}`, most, viewer: crowd.ada.id, hides: true, source }
      }),
    )
  })
}

/**
 * Every path of REST that is read: the document that it runs. The export has no document: its pages have 200 lines each. What the server
 * says of itself, and of limits, has no statement.
 */
export function pathsIn({ ada, star, root, change }: Crowd): Case[] {
  const given = { uuid: root, name: 'loud', q: 'loud', first: 1, offset: 100 }
  const reads = rest.operations.filter(({ method, path }) => method === 'GET' && !['/server', '/limits'].includes(path))
  return reads.flatMap(({ path, document: { source } }) => {
    const most = mostOf(source)
    const users = source.includes('$user:') ? [ada, star] : [ada]
    return users.map(({ id, username }) => ({
      ...{ name: `${path} of ${username}`, most, viewer: ada.id, hides: true, source },
      variables: {
        ...given,
        user: { uuid: id },
        ...(source.includes('$uuid: [') && { uuid: Array(many).fill(root) }),
        ...(path === '/changes' && { after: change }),
      },
    }))
  })
}
