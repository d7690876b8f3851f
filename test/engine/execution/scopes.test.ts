import { type GraphQLNamedType, isInterfaceType, isObjectType } from 'graphql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Scope } from '../../../src/engine/scopes.ts'
import { scopes } from '../../../src/features/base/scopes.ts'
import { type Person, startApp, type TestApp } from '../../support/app.ts'
import { people, publish } from '../../support/graphql/publish.ts'
import { stateOf } from '../../support/networks/small-network.ts'
import { plainSchema } from '../../support/reference/schema.ts'
import { type Names, scopedOperations } from '../../support/schema/scoped-operations.ts'

let app: TestApp
let ada: Person
let names: Names
beforeAll(async () => {
  app = await startApp()
  const [first, other] = await people(app, 2)
  if (!first || !other) throw new Error('There are too few people')
  ada = { ...first, token: await app.token(first, scopes) }
  const post = await publish(app, ada)
  names = { post, reply: await publish(app, ada, { parent: post }), user: other.id }
})
afterAll(() => app.close())

const coordinates = Object.keys(scopedOperations({ post: '', reply: '', user: '' }))
const operation = (coordinate: string) => {
  const found = scopedOperations(names)[coordinate]
  if (!found) throw new Error(`There is no operation of ${coordinate}`)
  return found
}
const enumName = (scope: Scope) => scope.toUpperCase().replaceAll('.', '_')
const without = (...left: string[]) => scopes.filter((scope) => !left.includes(enumName(scope)))

/** The stored rows, to check that nothing was written. */
const stored = async () => ({
  network: await stateOf(app.database),
  applications: await app.database.write.prisma.application.count(),
})

const scopesOf = (type: GraphQLNamedType) => {
  if (!isObjectType(type) && !isInterfaceType(type)) return []
  return Object.values(type.getFields()).flatMap(({ name, astNode }) =>
    astNode?.directives?.some((it) => it.name.value === 'requiresScopes') ? [`${type.name}.${name}`] : [],
  )
}

test('the schema states the scopes of every field that requires some', () => {
  expect(
    Object.values(plainSchema.getTypeMap()).flatMap(scopesOf).sort(),
    'test/support/schema/scoped-operations.ts has to list those of schema.graphql',
  ).toEqual([...coordinates].sort())
})

describe.each(coordinates)('%s', (coordinate) => {
  test('is refused before any write, whichever scope is missing', async () => {
    const { source, sets } = operation(coordinate)
    const before = await stored()
    // In the first round, the last scope of each set is missing; in the second, the first one.
    for (const end of [-1, 0]) {
      const token = await app.token(ada, without(...sets.flatMap((set) => set.at(end) ?? [])))
      const { status, data, errors, headers } = await app.graphql(token, source)
      expect(data).toBeUndefined()
      expect(status).toBe(403)
      expect(errors).toContainEqual({
        message: expect.stringContaining('scope'),
        locations: expect.any(Array),
        extensions: { code: 'INSUFFICIENT_SCOPE', requiredScopes: sets },
      })
      expect(headers.get('www-authenticate')).toMatch(/^Bearer .*error="insufficient_scope", scope="[a-z. ]+"/)
    }
    expect(await stored()).toEqual(before)
  })

  test('is permitted with any one set of scopes', async () => {
    const { source, sets } = operation(coordinate)
    const [set = []] = sets
    const others = sets.slice(1).flat()
    const path = coordinate.startsWith('Reply.') ? ['REPLY_GET'] : []
    const left = others.filter((scope) => !set.includes(scope) && !path.includes(scope))
    const { errors } = await app.graphql(await app.token(ada, without(...left)), source)
    expect(errors.filter(({ extensions }) => extensions.code === 'INSUFFICIENT_SCOPE')).toEqual([])
  })
})

describe('one field without its scopes refuses the whole operation', () => {
  const sendAnd = (more: string) => `mutation ($no: Boolean = false) {
    ... @skip(if: $no) { __typename }
    sendPost(input: { content: "Never sent" }) { publication { uuid author { username } } } ${more}
  }`
  const follow = (condition = '') => `toggleFollow(input: { uuid: "${names.user}" }) ${condition} { action }`

  test.each([
    ['another mutation', () => sendAnd(follow())],
    ['one in a fragment', () => `${sendAnd('...F')} fragment F on Mutation { ${follow()} }`],
    ['one below', () => sendAnd('').replace('author {', 'author { following { totalCount }')],
    ['one that is skipped by a literal that does not hold', () => sendAnd(follow('@skip(if: false)'))],
    ['one in a fragment that is included', () => sendAnd(`... @skip(if: $no) { ${follow()} }`)],
  ])('%s', async (_name, source) => {
    const token = await app.token(ada, without('USER_FOLLOW', 'USER_FOLLOWING_GET'))
    await app.graphql(token, '{ __typename }')
    const before = await stored()
    const statements = await app.statementsOf(async () => {
      const { data, errors } = await app.graphql(token, source())
      expect(data).toBeUndefined()
      expect(errors).toMatchObject([{ extensions: { code: 'INSUFFICIENT_SCOPE' } }])
    })
    expect(statements).toEqual([])
    expect(await stored()).toEqual(before)
  })

  test.each([
    ['@skip', '@skip(if: true)'],
    ['@include with a variable', '@include(if: $no)'],
  ])('except if it is skipped by %s', async (_name, condition) => {
    const token = await app.token(ada, without('USER_FOLLOW'))
    const source = `query ($no: Boolean = false) { __typename ... @include(if: $no) { viewer { uuid } } }`
    expect((await app.graphql(await app.token(ada, ['post.get']), source)).errors).toEqual([])
    const { errors, data } = await app.graphql(token, sendAnd(follow(condition)).replace('Never sent', 'Sent'))
    expect(errors).toEqual([])
    expect(data).toEqual({
      __typename: 'Mutation',
      sendPost: { publication: { uuid: expect.any(String), author: { username: ada.username } } },
    })
  })

  test('every missing scope is listed', async () => {
    const token = await app.token(ada, ['user.get'])
    const { errors } = await app.graphql(
      token,
      '{ homeTimeline { nodes { replies { totalCount } } } accessTokens { totalCount } }',
    )
    const missing = (...set: string[]) => ({ extensions: { code: 'INSUFFICIENT_SCOPE', requiredScopes: [set] } })
    expect(errors).toMatchObject([missing('POST_GET'), missing('REPLY_GET'), missing('ACCOUNT_MANAGE')])
  })
})
