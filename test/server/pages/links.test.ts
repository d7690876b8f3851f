import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sharing, startApp, type TestApp } from '../../support/app.ts'

const pages = ['/', '/timeline', '/api/v1/docs', '/nothing-here']

let all: TestApp
beforeAll(async () => {
  all = await startApp()
})
afterAll(() => all.close())

/** A page or resource as a browser asks for it. */
const open = (app: TestApp, path: string) =>
  fetch(new URL(path, app.origin), { headers: { accept: 'text/html,*/*;q=0.8' } })

async function linksOf(app: TestApp, path: string): Promise<string[]> {
  const text = await (await open(app, path)).text()
  return [...text.matchAll(/<a [^>]*?href="([^"#]+)/g)].map(([, href = '']) => href)
}

describe.each([
  { graphiql: true, introspection: true },
  { graphiql: false, introspection: true },
  { graphiql: true, introspection: false },
  { graphiql: false, introspection: false },
])('with $graphiql GraphiQL and $introspection introspection', (switches) => {
  let app: TestApp
  beforeAll(async () => {
    app = await startApp(switches, sharing(all))
  })
  afterAll(() => app.close())

  test.each(pages)('%s links to everything that is there and to nothing else', async (page) => {
    const links = new Set(await linksOf(app, page))
    expect(links.size).toBeGreaterThan(2)
    const statuses = await Promise.all([...links].map(async (link) => [link, (await open(app, link)).status]))
    expect(statuses).toEqual([...links].map((link) => [link, 200]))
    if (page !== '/nothing-here') expect(links.has('/graphql')).toBe(switches.graphiql)
    if (page === '/') expect(links.has('/schema.graphql')).toBe(switches.introspection)
  })
})

test('small pages have the name of the site, and lead to its rules and its operator', async () => {
  const settings = { siteName: 'Rooks & <Friends>', contact: 'rooks@nest.example', rules: 'Be kind.' }
  const named = await startApp({ ...settings, introducesItself: true, prefix: '/social' }, sharing(all))
  for (const path of ['/sign-up', '/reset', '/verify', '/appeal', '/nothing-here']) {
    const text = await (await open(named, `/social${path}`)).text()
    expect(text).toContain('– Rooks &#38; &#60;Friends&#62;</title>')
    expect(text).toContain('</svg>Rooks &#38; &#60;Friends&#62;</a>')
    expect(text).toContain('<a href="/social/#rules">Rules</a>')
    expect(text).toContain('<a href="mailto:rooks@nest.example">Contact</a>')
  }
  expect(await (await open(named, '/social/timeline')).text()).toContain('<title>Rooks &#38; &#60;Friends&#62;</title>')
  await named.close()
  expect(await (await open(all, '/sign-up')).text()).not.toContain('<footer')
})
