import {
  defaultFieldResolver,
  type ExecutionResult,
  execute,
  type GraphQLObjectType,
  isInterfaceType,
  isObjectType,
  parse,
} from 'graphql'
import type { Database } from '../../../src/engine/data/database.ts'
import { builder } from '../../../src/features/base/builder.ts'
import { schema } from '../../../src/server/schema.ts'
import { typeOf, type Viewer } from './lookups.ts'
import { resolvers } from './prisma-resolvers.ts'
import { loadRows } from './rows.ts'

type Field = ReturnType<GraphQLObjectType['getFields']>[string]

/** Lets plugin-prisma resolve what a publication replies to or quotes, unless it is hidden. */
function hideReferred(field: Field): void {
  const { resolve = defaultFieldResolver } = field
  field.resolve = async (row, args, context, info) => {
    const found: unknown = await resolve(row, args, context, info)
    return context.hidden.has(Object(found).authorId) ? null : found
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
      .filter(
        ({ name, extensions: { read, pothosPrismaRelationField: relation } }) =>
          read && !relation && !isOfFeed(name) && !resolvers[type.name]?.[name],
      )
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
      if (reference) field.resolve = reference
      const isReferred = /^(Post|Reply)\.(parent|quoted)$/.test(`${type.name}.${field.name}`)
      if (isReferred) hideReferred(field)
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
    const waiting = new Set(viewer.isModerator ? [] : all.pendingAccounts.map(({ id }) => id))
    const rows = {
      ...all,
      users: all.users.filter(({ id }) => !waiting.has(id)),
      publications: all.publications.filter(({ authorId }) => !hidden.has(authorId)),
    }
    return execute({
      schema,
      document: parse(source),
      contextValue: { database, rows, viewer, hidden },
      variableValues,
    })
  }
}
