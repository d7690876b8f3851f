import { parsePrismaCursor } from '@pothos/plugin-prisma'
import {
  defaultFieldResolver,
  type ExecutionResult,
  execute,
  type GraphQLObjectType,
  isInterfaceType,
  isObjectType,
  parse,
} from 'graphql'
import type { Database } from '../../../src/data/database.ts'
import type { SelectRelation } from '../../../src/reads/model.ts'
import { builder } from '../../../src/schema/builder.ts'
import { schema } from '../../../src/schema/schema.ts'
import { type Context, type Resolvers, typeOf, type Viewer } from './lookups.ts'
import { cursorOf, type PageArgs, type pageIn } from './pages.ts'
import { resolvers } from './prisma-resolvers.ts'
import { loadRows } from './rows.ts'

type Field = ReturnType<GraphQLObjectType['getFields']>[string]
type Page = ReturnType<typeof pageIn>

const isPage = (value: unknown): value is Page => typeof value === 'object' && value !== null && 'pageInfo' in value

/** A page of plugin-prisma with the cursors of Rookery. */
function withOurCursors(page: unknown): Page {
  if (!isPage(page)) throw new TypeError('This is not a page')
  const edges = page.edges.map((edge) => ({ ...edge, cursor: cursorOf(String(parsePrismaCursor(edge.cursor))) }))
  const ends = { startCursor: edges.at(0)?.cursor ?? null, endCursor: edges.at(-1)?.cursor ?? null }
  return { ...page, edges, pageInfo: { ...page.pageInfo, ...ends } }
}

/** Lets plugin-prisma resolve a related connection, except for pages that it does not have: those with our cursors, numbered, or without what is hidden. */
function completeConnection(field: Field, reference: Resolvers<unknown>[string], select: SelectRelation): void {
  const { resolve = defaultFieldResolver } = field
  const isPlain = ({ after, before, offset }: PageArgs, { hidden }: Partial<Context>) =>
    after == null && before == null && !offset && !hidden?.size
  const pothosPrismaSelect: SelectRelation = (args, context, ...rest) =>
    isPlain(args, context) ? select(args, context, ...rest) : null
  field.extensions = { ...field.extensions, pothosPrismaSelect }
  field.resolve = async (row, args, context, info) =>
    isPlain(args, context) ? withOurCursors(await resolve(row, args, context, info)) : reference(row, args, context)
}

/** Lets plugin-prisma resolve the parent of a reply, unless it is hidden. */
function hideParent(field: Field): void {
  const { resolve = defaultFieldResolver } = field
  field.resolve = async (row, args, context, info) => {
    const parent: unknown = await resolve(row, args, context, info)
    return context.hidden.has(Object(parent).authorId) ? null : parent
  }
}

/** The feed has tests of its own. */
const isOfFeed = (name: string) => /^change/i.test(name)

/** The fields whose read nothing here resolves, other than relations to one object, which plugin-prisma resolves alone. */
export function readsWithoutReference(): string[] {
  return Object.values(schema.getTypeMap()).flatMap((type) => {
    const isRead = isObjectType(type) && (type.name === 'Query' || type.extensions.pothosPrismaModel !== undefined)
    if (!isRead || isOfFeed(type.name)) return []
    return Object.values(type.getFields())
      .filter(({ name, extensions: { read, pothosPrismaRelationField } }) => {
        const isRelation = pothosPrismaRelationField?.isList === false
        return read && !isRelation && !isOfFeed(name) && !resolvers[type.name]?.[name]
      })
      .map(({ name }) => `${type.name}.${name}`)
  })
}

/** The schema with the resolvers of plugin-prisma, and the reference resolvers for the fields that have a read. */
function referenceSchema() {
  const schema = builder.toSchema({ resolvesWithPrisma: true })
  for (const type of Object.values(schema.getTypeMap())) {
    if (isInterfaceType(type)) type.resolveType = typeOf
    if (!isObjectType(type) && !isInterfaceType(type)) continue
    for (const field of Object.values(type.getFields())) {
      const reference = resolvers[type.name]?.[field.name]
      const select = field.extensions.pothosPrismaSelect
      if (reference && select) completeConnection(field, reference, select)
      else if (reference) field.resolve = reference
      if (type.name === 'Reply' && field.name === 'parent') hideParent(field)
    }
  }
  return schema
}

/** Answers queries by GraphQL.js over Prisma, from the rows that the database has now. */
export async function prismaAnswers(database: Database) {
  const schema = referenceSchema()
  const all = await loadRows(database)
  return async (viewer: Viewer, source: string, variableValues: Record<string, unknown>): Promise<ExecutionResult> => {
    // Nobody is hidden from moderators.
    const blockedPairs = all.blockedPairs.filter(({ viewerId }) => viewerId === viewer.id && !viewer.isModerator)
    const hidden = new Set(blockedPairs.map(({ hiddenId }) => hiddenId))
    const rows = { ...all, publications: all.publications.filter(({ authorId }) => !hidden.has(authorId)) }
    return execute({
      schema,
      document: parse(source),
      contextValue: { database, rows, viewer, hidden },
      variableValues,
    })
  }
}
