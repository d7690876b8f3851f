import {
  type GraphQLNamedType,
  getNamedType,
  isInterfaceType,
  isObjectType,
  parse,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql'
import { expect, test } from 'vitest'
import { rest } from '../../src/server/rest.ts'
import { schema } from '../../src/server/schema.ts'

/** What GraphQL has and REST has in another way, or needs not. */
const explained: Readonly<Record<string, string>> = {
  'Query.changeCursor': 'GET /changes without a cursor has the current one in its link',
  'Query.errorKinds': 'the OpenAPI document has the codes and the reasons',
  'Query.homeTimeline': 'GET /timeline/home has its posts, and reposts',
  'Query.node': 'each kind of object has a path',
  'Query.nodes': 'each kind of object has a path',
  'Query.rateLimit': 'the headers of each response have it',
  'Query.users': 'users have a path each',
  'Subscription.changes': 'GET /changes waits for changes',
}

const isList = (type: GraphQLNamedType) => type.name.endsWith('Connection')

/** The root fields of the schema, and the lists of its objects. */
function fieldsOfSchema(): string[] {
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()]
  const implemented = (type: GraphQLNamedType, name: string) =>
    isObjectType(type) && type.getInterfaces().some((it) => name in it.getFields())
  return Object.values(schema.getTypeMap()).flatMap((type) => {
    if (!isObjectType(type) && !isInterfaceType(type)) return []
    const isRoot = roots.some((root) => root === type)
    return Object.values(type.getFields())
      .filter((field) => isRoot || (isList(getNamedType(field.type)) && !implemented(type, field.name)))
      .map((field) => `${type.name}.${field.name}`)
  })
}

/** The fields that the documents of REST select. */
function selectedFields(): ReadonlySet<string> {
  const info = new TypeInfo(schema)
  const selected = new Set<string>()
  const visitor = visitWithTypeInfo(info, {
    Field: ({ name }) => void selected.add(`${info.getParentType()}.${name.value}`),
  })
  for (const { document } of rest.operations) visit(parse(document.full.source), visitor)
  return selected
}

test('REST has each query, mutation and list of GraphQL, or an explanation', () => {
  const selected = selectedFields()
  const missing = fieldsOfSchema().filter((field) => !selected.has(field))
  expect(missing.toSorted(), 'a field without a REST operation needs one, or a line above that says why').toEqual(
    Object.keys(explained).toSorted(),
  )
})
