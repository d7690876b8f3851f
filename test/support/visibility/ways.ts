import {
  type GraphQLField,
  type GraphQLNamedType,
  getNamedType,
  getNullableType,
  isCompositeType,
  isInterfaceType,
  isListType,
  isObjectType,
  isRequiredArgument,
} from 'graphql'
import { rest } from '../../../src/server/rest.ts'
import { schema } from '../../../src/server/schema.ts'
import { globalIdOf } from '../reference/schema.ts'
import { type Network, tags } from './network.ts'

type Field = GraphQLField<unknown, unknown>

/** A way to read something: a GraphQL document, or a path of REST. */
export type Way = { readonly name: string } & (
  | { /** The same with less, for as long as it costs too much. */ readonly documents: readonly string[] }
  | { readonly path: string }
)

/** How many texts a search names, and how many aliases a document has; how many objects lists have, and others inside of them. */
const [searched, aliased] = [10, 10] as const
const [most, fewer, least, nested] = [30, 8, 3, 3] as const

const chunks = <T>(items: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, nth) => items.slice(nth * size, (nth + 1) * size))
const listOf = (items: readonly string[]) => `[${items.join()}]`

/** Searches that find every publication, also by words that edits replaced. */
const textsOf = ({ facts, members }: Network) => [
  ...chunks(
    facts.written.flatMap(({ word, earlier }) => [word, ...earlier]),
    searched,
  ).map((words) => words.join(' OR ')),
  ...members.flatMap(({ username }) => [`from:${username}`, `@${username}`]),
  ...tags.map((tag) => `#${tag}`),
]

/** The sources of the feed, of everything. */
export const sourcesOf = ({ facts, members }: Network) => {
  const uuids = facts.written.map(({ uuid }) => uuid)
  const named = {
    publications: uuids,
    repliesTo: uuids,
    quotesOf: uuids,
    threads: uuids,
    users: members.map(({ id }) => id),
  }
  return { home: true, public: true, notifications: true, ...named, hashtags: [...tags] }
}

const literal = (value: unknown): string => JSON.stringify(value).replace(/"(\w+)":/g, '$1:')

/** Values of required arguments: each of the alternatives shows something else. */
function valuesOf(network: Network, start: string): Readonly<Record<string, readonly string[]>> {
  const { facts, members } = network
  const uuids = facts.written.map(({ uuid }) => `"${uuid}"`)
  const ids = facts.written.flatMap(({ uuid }) => [globalIdOf('Post', uuid), globalIdOf('Reply', uuid)])
  const users = members.map(({ id }) => `{ uuid: "${id}" }`)
  return {
    uuid: uuids,
    uuids: chunks(uuids, 12).map(listOf),
    by: users,
    name: tags.map((tag) => `"${tag}"`),
    text: textsOf(network).map((text) => JSON.stringify(text)),
    of: [`${literal(sourcesOf(network))}, after: "${start}"`],
    id: [...ids, ...members.map(({ id }) => globalIdOf('User', id))].map((id) => `"${id}"`),
    'searchUsers.text': members.slice(0, 2).map(({ username }) => `"${username}"`),
    ids: chunks(ids, 20).map((some) => listOf(some.map((id) => `"${id}"`))),
  }
}

type Values = ReturnType<typeof valuesOf>

/** The ways to call a field: with each alternative of the argument that it requires. */
function callsOf(field: Field, values: Values, size: number): string[] {
  const page = field.args.some(({ name }) => name === 'first') ? [`first: ${size}`] : []
  const [required, ...more] = field.args.filter(isRequiredArgument)
  if (more.length > 0) throw new TypeError(`${field.name} requires several arguments`)
  if (!required) return [page.length > 0 ? `${field.name}(${page})` : field.name]
  const alternatives = values[`${field.name}.${required.name}`] ?? values[required.name]
  if (!alternatives)
    throw new TypeError(`test/support/visibility/ways.ts lacks a value of ${field.name}(${required.name})`)
  const isList = isListType(getNullableType(required.type)) && !alternatives[0]?.startsWith('[')
  const given = isList ? [listOf(alternatives)] : alternatives
  return given.map((value) => `${field.name}(${[`${required.name}: ${value}`, ...page].join(', ')})`)
}

const fieldsOf = (type: GraphQLNamedType): readonly Field[] =>
  isObjectType(type) || isInterfaceType(type) ? Object.values(type.getFields()) : []
const isPage = (type: GraphQLNamedType) => type.name.endsWith('Connection')
const pageInfo = 'pageInfo { hasNextPage startCursor endCursor }'

/** The selection of what a field returns, if it is not a leaf; `inner` selects what its rows have. */
function within(type: GraphQLNamedType, inner: (row: GraphQLNamedType) => string): string {
  if (!isCompositeType(type)) return ''
  if (!isPage(type)) return `{ ${inner(type)} }`
  const row = getNamedType(fieldsOf(type).find(({ name }) => name === 'nodes')?.type)
  if (!row) throw new TypeError(`${type.name} has no nodes`)
  const others = fieldsOf(type).filter(({ name }) => !['nodes', 'edges', 'pageInfo'].includes(name))
  const rest = others.map((field) => `${field.name} ${within(getNamedType(field.type), leaves)}`)
  return `{ nodes { ${inner(row)} } edges { cursor } ${pageInfo} ${rest.join(' ')} }`
}

/** Fields of a type that its interfaces lack, in a fragment of each type that has them. */
function selectionOf(type: GraphQLNamedType, select: (field: Field) => string): string {
  const own = fieldsOf(type).map(select)
  if (!isInterfaceType(type)) return ['__typename', ...own].join(' ')
  const known = new Set(fieldsOf(type).map(({ name }) => name))
  const fragments = schema.getPossibleTypes(type).map((one) => {
    const others = fieldsOf(one).filter(({ name }) => !known.has(name))
    return others.length > 0 ? `... on ${one.name} { __typename ${others.map(select).join(' ')} }` : ''
  })
  return ['__typename', ...own, ...fragments].join(' ')
}

const leaves = (type: GraphQLNamedType): string =>
  selectionOf(type, (field) => (isCompositeType(getNamedType(field.type)) ? '' : field.name))

/** All fields of a type, and of what they lead to all leaves. */
const twoLevels = (values: Values) => (type: GraphQLNamedType) =>
  selectionOf(type, (field) => `${callsOf(field, values, nested)[0]} ${within(getNamedType(field.type), leaves)}`)

/** The objects that a field leads to, or those on its page. */
function rowOf(type: GraphQLNamedType): GraphQLNamedType {
  const nodes = isPage(type) && fieldsOf(type).find(({ name }) => name === 'nodes')
  return nodes ? getNamedType(nodes.type) : type
}

/** Every field of the schema that a query can reach in three steps, and every object by all that find it. */
export function documentsOf(network: Network, start: string): Way[] {
  const values = valuesOf(network, start)
  const roots = Object.values(schema.getQueryType()?.getFields() ?? {})
  return roots.flatMap((root) => [...shallowWays(root, values), ...deepWays(root, values)])
}

/** What a field of `Query` leads to, by each of its calls. */
function shallowWays(root: Field, values: Values): Way[] {
  const type = getNamedType(root.type)
  const selected = isCompositeType(type) ? '{ ...Its }' : ''
  const fragment = selected && `fragment Its on ${type.name} ${within(type, shallowly)}`
  const isList = root.args.some(({ name }) => name === 'first')
  return chunks(callsOf(root, values, most), isList ? 1 : aliased).map((calls, nth) => {
    const aliases = calls.map((call, at) => `${root.name}_${at}: ${call} ${selected}`)
    return { name: `${root.name} ${nth}`, documents: [`{ ${aliases.join(' ')} } ${fragment}`] }
  })
}

/** What the rows of a field of `Query` lead to, and what that leads to. Single objects are found by others, too. */
function deepWays(root: Field, values: Values): Way[] {
  const type = getNamedType(root.type)
  const isFoundElsewhere = root.args.some(({ name }) => /^(uuid|ids?)$/.test(name)) || root.name === 'user'
  const calls = isFoundElsewhere ? [] : callsOf(root, values, most).slice(0, isPage(type) ? 1 : undefined)
  const fields = fieldsOf(rowOf(type)).filter((field) => isCompositeType(getNamedType(field.type)))
  return calls.flatMap((call, nth) =>
    fields.map((field) => {
      const nest = (size: number, inner: (type: GraphQLNamedType) => string) => {
        const sized = call.replace(`first: ${most}`, `first: ${size}`)
        const selected = `${callsOf(field, values, nested)[0]} ${within(getNamedType(field.type), inner)}`
        return `{ ${sized} ${within(type, () => selected)} }`
      }
      const both = [twoLevels(values), leaves].flatMap((inner) => [fewer, least].map((size) => nest(size, inner)))
      return { name: `${root.name} ${nth}, ${field.name}`, documents: [...new Set(both)] }
    }),
  )
}

/** All leaves; of any object by its global id only that. */
const shallowly = (type: GraphQLNamedType) =>
  type.name === 'Node' ? '__typename id ... on Post { uuid content } ... on Reply { uuid content }' : leaves(type)

/** Every path of REST that is read, with every publication, account and hashtag, also in its fullest form. */
export function pathsOf(network: Network, start: string): Way[] {
  const { facts, members } = network
  const uuids = facts.written.map(({ uuid }) => uuid)
  const alternatives: Readonly<Record<string, readonly string[]>> = {
    uuid: uuids,
    user: members.map(({ id }) => id),
    name: tags,
    page: ['1'],
    q: textsOf(network).map(encodeURIComponent),
    after: [start],
  }
  const reads = rest.operations.filter(({ method }) => method === 'GET')
  return reads.flatMap(({ path, query = {} }) => {
    const each = (parameter: string) => {
      const values = alternatives[parameter]
      if (!values) throw new TypeError(`test/support/visibility/ways.ts lacks a value of ${parameter} in ${path}`)
      return values
    }
    const [inPath, inQuery] = [path.match(/(?<=\{)\w+(?=\})/g) ?? [], path === '/changes' ? 'after' : 'q']
    const paths = inPath.reduce<string[]>(
      (all, parameter) => all.flatMap((one) => each(parameter).map((value) => one.replace(`{${parameter}}`, value))),
      [path],
    )
    if (path === '/post')
      return [{ name: path, path: `${path}?${uuids.map((uuid) => `uuid=${uuid}`).join('&')}&view=full` }]
    const asked = 'q' in query || path === '/changes' ? each(inQuery).map((value) => `${inQuery}=${value}&`) : ['']
    return paths.flatMap((one) => asked.map((more) => ({ name: path, path: `${one}?${more}view=full` })))
  })
}
