import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { textOf } from '../support/project/source-files.ts'

const documents = [
  'README.md',
  'SECURITY.md',
  'CODE_OF_CONDUCT.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'docs/api.md',
  'docs/clients.md',
  'docs/rest-compatibility.md',
  'docs/deploy.md',
  'docs/operate.md',
  'docs/security.md',
  'docs/speed.md',
]

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

test.each(documents)('every link of %s leads to a file or a heading', (path) => {
  const markdown = [...withoutCode(path).matchAll(/\]\((?!https?:)([^)\s#]*)(?:#([^)\s]*))?\)/g)]
  const images = [...withoutCode(path).matchAll(/\bsrc(?:set)?="([^"#]*)"/g)]
  const broken = [...markdown, ...images].filter(([, target = '', anchor]) => {
    const file = target === '' ? path : join(dirname(path), target)
    return !exists(file) || (anchor !== undefined && !anchorsOf(file).includes(anchor))
  })
  expect(broken.map(([link]) => link)).toEqual([])
})
