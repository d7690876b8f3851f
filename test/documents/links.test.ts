import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { textOf } from '../support/project/source-files.ts'

/** How many words each document may have. */
const budgets = {
  'README.md': 500,
  'SECURITY.md': 120,
  'CODE_OF_CONDUCT.md': 90,
  'CONTRIBUTING.md': 1_400,
  'CHANGELOG.md': 100,
  'docs/api.md': 3_010,
  'docs/clients.md': 930,
  'docs/rest-compatibility.md': 475,
  'docs/deploy.md': 950,
  'docs/operate.md': 2_480,
  'docs/security.md': 670,
  'docs/speed.md': 300,
}
const documents = Object.keys(budgets)

const exists = (path: string) => existsSync(new URL(`../../${path}`, import.meta.url))

const withoutCode = (path: string) => textOf(path).replaceAll(/^ *```.*?^ *```/gms, '')

/** The anchors of the headings, as GitHub makes them. */
const anchorsOf = (path: string) =>
  [...withoutCode(path).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )

test.each(Object.entries(budgets))('%s has at most %i words', (path, budget) => {
  const words = textOf(path)
    .split(/\s+/)
    .filter((text) => /[\p{L}\p{N}]/u.test(text))
  expect(words.length).toBeLessThanOrEqual(budget)
})

test.each(documents)('every link of %s leads to a file or a heading', (path) => {
  const markdown = [...withoutCode(path).matchAll(/\]\((?!https?:)([^)\s#]*)(?:#([^)\s]*))?\)/g)]
  const images = [...withoutCode(path).matchAll(/\bsrc(?:set)?="([^"#]*)"/g)]
  const broken = [...markdown, ...images].filter(([, target = '', anchor]) => {
    const file = target === '' ? path : join(dirname(path), target)
    return !exists(file) || (anchor !== undefined && !anchorsOf(file).includes(anchor))
  })
  expect(broken.map(([link]) => link)).toEqual([])
})
