import { existsSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { errorCodes, forbiddenReasons } from '../../src/engine/errors.ts'
import { sourceFiles, textOf } from '../support/project/source-files.ts'

/** The text of a section of a document. */
function sectionOf(path: string, name: string): string {
  const [, text = ''] = textOf(path).split(`\n## ${name}\n`)
  return text.split('\n## ')[0] ?? ''
}

describe('docs/operate.md', () => {
  test('lists every configuration variable with its default', () => {
    const rows = sectionOf('docs/operate.md', 'Configuration').matchAll(
      /^\| `(?<name>[A-Z_]+)` \|(?: `(?<byDefault>[^`]*)`)? \| \S/gm,
    )
    const documented = [...rows].map(({ groups }) => ({ name: groups?.name, byDefault: groups?.byDefault }))

    const declared = textOf('src/server/config.ts').matchAll(/^ {2}(?<name>[A-Z_]+):.*?(?=^ {2}[A-Z_]+:|^\}\))/gms)
    const configured = [...declared].map(([text, name]) => {
      const [, byDefault] = /\.default\('?(.*?)'?\)/.exec(text) ?? []
      return { name, byDefault }
    })
    expect(configured.length).toBeGreaterThan(7)
    expect(documented).toEqual(configured)
  })
})

test('docs/api.md lists every error code with its status and meaning', () => {
  const listed = sectionOf('docs/api.md', 'Errors').match(/^\| `\w+` \| \d.*$/gm) ?? []
  const facts = Object.entries(errorCodes).map(
    ([code, { status, meaning }]) => `| \`${code}\` | ${status} | ${meaning} |`,
  )
  expect(listed).toEqual(facts)
})

test('docs/api.md lists every reason of FORBIDDEN with its meaning', () => {
  const listed = sectionOf('docs/api.md', 'Errors').match(/^\| `\w+` \| \D.*$/gm) ?? []
  expect(listed).toEqual(Object.entries(forbiddenReasons).map(([reason, meaning]) => `| \`${reason}\` | ${meaning} |`))
})

test('docs/security.md names at least one test for each attack, and only tests that exist', () => {
  const rows =
    sectionOf('docs/security.md', 'Attacks')
      .match(/^\| [^-].*$/gm)
      ?.slice(1) ?? []
  const named = rows.map((row) => [...row.matchAll(/`([\w/.-]+\.test\.ts)`/g)].map(([, path = '']) => path))
  expect(named.length).toBeGreaterThan(20)
  expect(named.filter((paths) => paths.length === 0)).toEqual([])
  expect(named.flat().filter((path) => !existsSync(new URL(`../${path}`, import.meta.url)))).toEqual([])
})

test('docs/operate.md alerts only on log messages that the code has', () => {
  const [alerts = ''] = sectionOf('docs/operate.md', 'Monitoring').split('\n### ')
  const messages = [...alerts.matchAll(/`([\w ,:-]{2,})`/g)].map(([, message = '']) => message)
  expect(messages.length).toBeGreaterThan(10)
  const code = sourceFiles('src').map(textOf).join('\n')
  expect(messages.filter((message) => !new RegExp(`'${message}[:']`).test(code))).toEqual([])
})
