import { extendSchema, type GraphQLFieldResolver, isObjectType, parse } from 'graphql'
import { v7 as newId } from 'uuid'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Passwords } from '../../src/domain/passwords.ts'
import { Sessions } from '../../src/domain/sessions.ts'
import { Executor, resultOf } from '../../src/execution/executor.ts'
import type { ConnectionPart } from '../../src/reads/connection-compiler.ts'
import { withCompiledObjects } from '../../src/schema/compiled.ts'
import { type Context, CountedCaller, createContext } from '../../src/schema/context.ts'
import { schema } from '../../src/schema/schema.ts'
import type { Person, TestApp } from '../support/app.ts'
import { startApp } from '../support/app.ts'
import { publish } from '../support/publish.ts'

let app: TestApp
let ada: Person
let post: string
beforeAll(async () => {
  app = await startApp()
  ada = await app.person('ada')
  post = await publish(app, ada)
})
afterAll(() => app.close())

/** The schema with fields whose names look like those of pages and of global ids. */
function extendedSchema() {
  const extended = extendSchema(
    schema,
    parse(`
      extend type Query { nodeInfo: NodeInfo! }
      extend type PostConnection { nodeInfo: [Post!]! }
      type NodeInfo { nodeInfo: Int!, node: User!, edges: [User!]!, pageInfo: Int! }
    `),
  )
  const fieldOf = (typename: string, name: string) => {
    const type = extended.getType(typename)
    const field = isObjectType(type) ? type.getFields()[name] : undefined
    if (!field) throw new TypeError(`There is no ${typename}.${name}`)
    return field
  }
  const connectionPart: ConnectionPart = 'nodes'
  fieldOf('PostConnection', 'nodeInfo').extensions = { connectionPart }
  withCompiledObjects(extended)
  const findAda: GraphQLFieldResolver<unknown, Context> = (_source, _args, { reads }, info) => reads.byId(info, ada.id)
  fieldOf('Query', 'nodeInfo').resolve = () => ({ nodeInfo: 1, pageInfo: 2 })
  fieldOf('NodeInfo', 'node').resolve = findAda
  fieldOf('NodeInfo', 'edges').resolve = async (...given) => [await findAda(...given)]
  return extended
}

test('a field called nodeInfo is neither a part of a page nor a lookup by id', async () => {
  const sessions = new Sessions(app.database)
  const service = { database: app.database, sessions, passwords: new Passwords(), signUpIsOpen: true }
  const caller = {
    signal: new AbortController().signal,
    clientAddress: () => '127.0.0.1',
    noteOperation: () => undefined,
  }
  const session = await sessions.of(ada.token)
  const requester = new CountedCaller(session, caller)
  const context = createContext(
    { ...service, avatar: 'gravatar' },
    {
      session,
      requestId: newId(),
      caller,
      requester,
      budget: undefined,
    },
  )
  const source = `{
    nodeInfo { nodeInfo node { username } edges { username } pageInfo }
    publicTimeline(first: 1) { nodeInfo { uuid } nodes { uuid } edges { node { uuid } } pageInfo { hasNextPage } }
  }`
  const request = { source, operationName: undefined, readOnly: true }
  const result = resultOf(await new Executor(extendedSchema(), app.log).answer(request, {}, context))
  expect(result).toEqual({
    data: {
      nodeInfo: { nodeInfo: 1, node: { username: 'ada' }, edges: [{ username: 'ada' }], pageInfo: 2 },
      publicTimeline: {
        nodeInfo: [{ uuid: post }],
        nodes: [{ uuid: post }],
        edges: [{ node: { uuid: post } }],
        pageInfo: { hasNextPage: false },
      },
    },
  })
})
