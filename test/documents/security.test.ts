import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { textOf } from '../support/source-files.ts'

const [, attacks = ''] = textOf('docs/security.md').split('\n## Attacks\n')
const rows = (attacks.split('\n## ')[0] ?? '').split('\n').filter((line) => line.startsWith('- '))

test('docs/security.md names at least one test for each attack, and only tests that exist', () => {
  const named = rows.map((row) => [...row.matchAll(/`([\w/-]+\.test\.ts)`/g)].map(([, path = '']) => path))
  expect(named.length).toBeGreaterThan(20)
  expect(named.filter((paths) => paths.length === 0)).toEqual([])
  expect(named.flat().filter((path) => !existsSync(new URL(`../${path}`, import.meta.url)))).toEqual([])
})
