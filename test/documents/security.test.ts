import { existsSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { textOf } from '../support/source-files.ts'

const text = textOf('docs/security.md')
const named = [...text.matchAll(/`(?:test\/)?([\w/-]+\.test\.ts)`/g)].map(([, path = '']) => path)
const rows = [...text.matchAll(/^\| ((?:API|V)\d+) .*\| (.*)\|$/gm)].map(([, risk = '', tests = '']) => ({
  risk,
  tests,
}))

describe('docs/security.md', () => {
  test('names only tests that exist', () => {
    const missing = named.filter((path) => !existsSync(new URL(`../${path}`, import.meta.url)))
    expect(named.length).toBeGreaterThan(50)
    expect(missing).toEqual([])
  })

  test('names a test for each risk of OWASP and each chapter of ASVS that applies, except for TLS', () => {
    expect(rows.map(({ risk }) => risk)).toEqual([
      ...Array.from({ length: 10 }, (_, index) => `API${index + 1}`),
      ...[1, 2, 3, 4, 6, 7, 8, 11, 12, 13, 14, 15, 16].map((chapter) => `V${chapter}`),
    ])
    expect(rows.filter(({ tests }) => !tests.includes('.test.ts')).map(({ risk }) => risk)).toEqual(['V12'])
  })
})
