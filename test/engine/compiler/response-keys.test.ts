import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Person, startApp, type TestApp } from '../../support/app.ts'
import { publish } from '../../support/graphql/publish.ts'

let app: TestApp
let ada: Person
let post: string
beforeAll(async () => {
  app = await startApp()
  ada = await app.person('ada')
  post = await publish(app, ada, { content: 'A post' })
})
afterAll(() => app.close())

/** Names with a meaning in the statements or in JavaScript. */
const names = [
  ...[
    'o',
    'O',
    't1',
    't2',
    'f0',
    'it',
    'viewer',
    'key',
    'json',
    'id',
    'page_key',
    'page_place',
    'numbered',
    'parent_id',
  ],
  ...['constructor', '__proto__', 'toString', 'data', 'errors', 'select', 'null', '_', '_type'],
]

describe.each(names)('the response key %s', (name) => {
  // Parsed, because __proto__ in a literal would set the prototype.
  const named = (json: string): unknown => JSON.parse(json.replaceAll('"?"', `"${name}"`))

  test('can be used for any field of a query', async () => {
    const { data, errors } = await app.graphql(
      ada.token,
      `{ me: viewer { ${name}: username }
        ${name}: publicTimeline(first: 1) { ${name}: edges { ${name}: node { ${name}: content } } }
        again: publicTimeline(first: 1) { ${name}: pageInfo { ${name}: hasNextPage } }
        typed: publicTimeline(first: 1) { ${name}: __typename nodes { ${name}: __typename } } }`,
    )
    expect(errors).toEqual([])
    expect(data).toEqual(
      named(
        '{"me":{"?":"ada"},"?":{"?":[{"?":{"?":"A ' +
          'post"}}]},"again":{"?":{"?":false}},"typed":{"?":"PostConnection","nodes":[{"?":"Post"}]}}',
      ),
    )
  })

  test('can be used for any field of a payload', async () => {
    const { data, errors } = await app.graphql(
      ada.token,
      `mutation ($post: UUID!) { ${name}: setLike(input: { uuid: $post, liked: true }) { ${name}: publication { ${name}: content } } }`,
      { post },
    )
    expect(errors).toEqual([])
    expect(data).toEqual(named('{"?":{"?":{"?":"A post"}}}'))
  })
})
