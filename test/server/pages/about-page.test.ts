import { afterAll, beforeAll, expect, test } from 'vitest'
import { admitting, sharing, startApp, type TestApp } from '../../support/app.ts'

const rules = `# Be kind

1. No <script>alert(1)</script>, *please*.
2. See [the law](https://law.example), not [this](javascript:alert(1)).

![A picture](https://tracker.example/pixel.png)

# Be brief
`

let plain: TestApp
beforeAll(async () => {
  plain = await startApp()
})
afterAll(() => plain.close())

async function startPage(settings: Parameters<typeof startApp>[0]): Promise<string> {
  const app = await startApp(settings, sharing(plain))
  const response = await fetch(app.origin)
  await app.close()
  return response.text()
}

test('a start page introduces Rookery, or the server if it is no demo', async () => {
  const start = await startPage({})
  expect(start).toContain('A social network that you use through its API')
  expect(start).toContain('href="/sign-up"')
  expect(await startPage(admitting({ signUp: 'closed' }))).not.toContain('/sign-up')
  const page = await startPage({
    introducesItself: true,
    siteName: 'Rooks & <Friends>',
    siteDescription: 'For all who "watch" rooks.',
    siteLanguages: ['en', 'nl'],
    contact: 'rooks@nest.example',
  })
  expect(page).not.toContain('A social network that you use through its API')
  expect(page).toContain('<h1>Rooks &#38; &#60;Friends&#62;</h1>')
  expect(page).toContain('<title>Rooks &#38; &#60;Friends&#62;</title>')
  expect(page).toContain('For all who &#34;watch&#34; rooks.')
  expect(page).toContain('<dd>English, Dutch</dd>')
  expect(page).toContain('<a href="mailto:rooks@nest.example">rooks@nest.example</a>')
  expect(page).toContain('Everybody can join')
})

test('it shows rules as markup in which nothing runs or is loaded, below its own headings', async () => {
  const page = await startPage({ introducesItself: true, rules, prefix: '/social', ...admitting({ signUp: 'closed' }) })
  expect(page).toContain('<h3>Be kind</h3>')
  expect(page).toContain('<h2 id="rules">Rules</h2>')
  expect(page).toContain('<li>No &lt;script&gt;alert(1)&lt;/script&gt;, <em>please</em>.</li>')
  expect(page).toContain('<a href="https://law.example">the law</a>')
  expect(page).not.toMatch(/href="javascript:|<img/)
  expect(page).toContain('Only the operator creates accounts.')
  expect(page).toContain('href="/social/timeline"')
})

test('rules with a title have no other heading', async () => {
  const titled = (rules: string) => startPage({ introducesItself: true, rules })
  expect(await titled('# House rules\n\n## Be kind\n')).toMatch(
    />\n<h2 id="rules">House rules<\/h2>\n<h3>Be kind<\/h3>/,
  )
  expect(await titled('# Be kind\n\n# Be brief\n')).toMatch(
    /<h2 id="rules">Rules<\/h2>\n<h3>Be kind<\/h3>\n<h3>Be brief/,
  )
  expect(await titled('Be nice.\n\n## Be kind\n\n### Always\n')).toMatch(
    /<h2 id="rules">Rules<\/h2>\n<p>Be nice.<\/p>\n<h3>Be kind<\/h3>\n<h4>Always/,
  )
})
