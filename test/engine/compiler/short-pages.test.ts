import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { maxScan, maxScanInLists } from '../../../src/engine/compiler/limits.ts'
import { type Person, startApp, type TestApp } from '../../support/app.ts'
import { rowsRead } from '../../support/database/rows-read.ts'
import { type Connection, pageDocument, walk } from '../../support/graphql/pages.ts'
import { hiddenCrowd } from '../../support/networks/hidden-crowd.ts'

/** How many accounts are hidden from the viewer, who comes to all that they did before anything else. */
const hidden = 4_000

let app: TestApp
let ada: Person
let moderates: string
let root: string
beforeAll(async () => {
  app = await startApp()
  ;({ ada, root } = await hiddenCrowd(app, hidden))
  moderates = await app.token(ada, ['moderation.manage'])
})
afterAll(() => app.close())

const of = (field: string, owner?: () => string, shown = 2) => ({ field, owner, shown })
const own = () => 'viewer'
const ofStar = () => 'user(by: { username: "star" })'
const ofRoot = () => `post(uuid: "${root}")`

/** Lists that begin with what is hidden, and have two rows or four after that. */
const lists = [
  of('publicTimeline', undefined, 4),
  of('publications', () => 'hashtag(name: "loud")'),
  of('replies', ofRoot),
  of('likers', ofRoot),
  of('followers', ofStar),
  of('following', ofStar),
  of('likes', own),
  of('bookmarks', own),
  of('mutes', own),
  of('reports'),
]

const connectionOf = ({ field, owner }: (typeof lists)[number]): Connection => ({
  field,
  ...(owner && { owner: owner() }),
  hasGlobalIds: field !== 'reports',
})

const isNumbered = ({ owner }: Connection) => owner !== undefined

describe.each(lists.map((list) => [list.field, list] as const))(
  '%s, of which the viewer may not see the first thousands',
  (_name, list) => {
    test('looks at a limited number of rows for a page', async () => {
      const connection = connectionOf(list)
      for (const args of ['first: 2', ...(isNumbered(connection) ? ['first: 1, offset: 1'] : [])]) {
        const read = await rowsRead(app, ada.id, pageDocument(connection, args), { hides: true })
        // The page ends where its scan does, which is asked for twice.
        for (const [table, rows] of read) expect(rows, `${table} for ${args}`).toBeLessThan(3.1 * maxScan)
      }
    })

    test('ends pages early, and has all others on later ones', async () => {
      const connection = connectionOf(list)
      const token = list.field === 'reports' ? moderates : ada.token
      const pages = await walk(app, token, connection, 1)
      expect(pages.slice(0, hidden / maxScan)).toEqual(Array(hidden / maxScan).fill([]))
      expect(pages.flat()).toHaveLength(list.shown)
      expect(await walk(app, token, connection, 10, false)).toContainEqual(pages.flat())
    })
  },
)

test('pages inside of lists look at fewer rows', async () => {
  const source =
    `{ publications(uuids: ["${root}", "${root}"]) { replies(first: 2) { pageInfo { endCursor ` +
    'hasNextPage } nodes { uuid } } } }'
  const read = await rowsRead(app, ada.id, source, { hides: true })
  expect(read.get('publications')).toBeLessThan(2 * 3.2 * maxScanInLists)
})

test('numbered pages in REST that end early link to the next one by a cursor', async () => {
  const sizes: number[] = []
  for (let path: string | undefined = `/post/${root}/replies/1`; path; ) {
    const response = await app.rest(ada.token, 'GET', path)
    sizes.push(z.object({ replies: z.array(z.unknown()) }).parse(await response.json()).replies.length)
    const next = /<\/api\/v1([^>]*)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1]
    if (next) expect(next).toMatch(/\/replies\?after=[\w-]{22}$/)
    path = next
  }
  expect(sizes).toEqual([...Array(hidden / maxScan).fill(0), 2])
})
